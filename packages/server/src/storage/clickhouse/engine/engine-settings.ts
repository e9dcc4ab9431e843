/**
 * Settings of every insert, embedded or on a server.
 *
 * - One block of any size, so that an insert is one part in each partition and is stored there completely or not at
 *   all.
 * - One thread, because the clients of the embedded engine need the other cores.
 * - Text indexes of a new part are built by its first merge; until then its few rows are searched without them.
 */
export const INSERT_SETTINGS = {
  input_format_parallel_parsing: 0,
  max_threads: 1,
  max_insert_threads: '1',
  max_insert_block_size: '10000000',
  min_insert_block_size_rows: '10000000',
  min_insert_block_size_bytes: '0',
  // A partition is a month. Changes of very old traces may touch many, and a commit must not be refused.
  max_partitions_per_insert_block: '0',
  // Each metric event is printed once for two tables.
  input_format_skip_unknown_fields: 1,
  // Stores metric values without loss of precision.
  precise_float_parsing: 1,
  exclude_materialize_skip_indexes_on_insert: 'text_index,terms_index',
} as const

/** A longer read has failed. Seconds. */
export const LONGEST_READ_SECONDS = 30

/** Room for 100,000 ids of 31 bytes (`isAmong`) and the rest of the statement. Bytes. */
export const LONGEST_STATEMENT = 4_194_304
