import { OLD_PARTS_SECONDS } from '../parts/old-parts.ts'

/**
 * Differences between the embedded engine and a server in the migrations (migrations/*.sql). The macros that use these
 * members are in render-migration.ts.
 */
export interface TelemetryDialect {
  /** Follows the name of a table: `''`, or ` ON CLUSTER …` where a statement must reach every replica. */
  readonly onCluster: string
  /** Maps a MergeTree engine to the one to use: itself when embedded, `Replicated…` or `Shared…` on such a server. */
  readonly engine: (mergeTree: string) => string
  /** Settings of every table of rows, as in a SETTINGS clause. Must not be empty. */
  readonly tableSettings: string
  /**
   * The statement after which this server shows all that other servers have written to the table; null where there is
   * no other server.
   */
  readonly catchUp: (table: string) => string | null
}

/**
 * Without these, the engine acknowledges data that a power loss can remove. Merged parts are flushed with their
 * directory, except for the files of text indexes.
 */
export const FLUSHED =
  'fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, ' +
  'min_compressed_bytes_to_fsync_after_merge = 1'

const OLD_PARTS = `old_parts_lifetime = ${OLD_PARTS_SECONDS}, cleanup_delay_period = 5, max_cleanup_delay_period = 10`

/**
 * Merges that fit in the memory of a small process: limited in size, and one at a time (see the engine's arguments).
 */
const SMALL_MERGES =
  'number_of_free_entries_in_pool_to_lower_max_size_of_merge = 1, ' +
  'number_of_free_entries_in_pool_to_execute_mutation = 1, ' +
  'number_of_free_entries_in_pool_to_execute_optimize_entire_partition = 1, merge_selector_base = 10, ' +
  'max_bytes_to_merge_at_max_space_in_pool = 402653184, merge_max_block_size_bytes = 2097152'

export const EMBEDDED_DIALECT: TelemetryDialect = {
  onCluster: '',
  engine: (mergeTree) => mergeTree,
  tableSettings: `${FLUSHED}, ${OLD_PARTS}, ${SMALL_MERGES}`,
  catchUp: () => null,
}
