import { metricPointsTable } from './metric-points-table.ts'
import { metricTables } from './metric-tables.ts'
import type { TelemetryDialect } from '../engine/telemetry-dialect.ts'

export const EMBEDDED_DIALECT: TelemetryDialect = {
  replacingEngine: (versionColumn) => `ReplacingMergeTree(${versionColumn})`,
  onCluster: '',
}

/** Number of the newest schema; a store with a greater one belongs to a newer Spoor. */
export const TELEMETRY_SCHEMA_VERSION = 4

/**
 * How long the engine keeps parts that it has merged, seconds: many times what it takes to flush and check the merged one (parts/parts-keeper.ts). The eight minutes of the engine's default would take
 * several times the space of the data, and memory for each.
 */
export const OLD_PARTS_SECONDS = 60

/**
 * Without the first four the engine acknowledges what a power loss takes away again. Merged parts are flushed with their directory, but for the files of text indexes.
 */
const DURABLE =
  'fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, ' +
  `min_compressed_bytes_to_fsync_after_merge = 1, old_parts_lifetime = ${OLD_PARTS_SECONDS}, cleanup_delay_period = 5, max_cleanup_delay_period = 10`

/** Merges that fit in the memory of a small process: bounded in size, and one at a time (see the engine's arguments). */
const SMALL_MERGES =
  'number_of_free_entries_in_pool_to_lower_max_size_of_merge = 1, ' +
  'number_of_free_entries_in_pool_to_execute_mutation = 1, ' +
  'number_of_free_entries_in_pool_to_execute_optimize_entire_partition = 1, merge_selector_base = 10, ' +
  'max_bytes_to_merge_at_max_space_in_pool = 402653184, merge_max_block_size_bytes = 2097152'

/** A third less disk than the default for the same speed. */
const POSTINGS = "posting_list_codec = 'bitpacking', posting_list_block_size = 65536"

/**
 * A page of the feed and one trace's steps are rows from many places: what is read and unpacked for each is a granule of every column. Small granules in
 * blocks of their own halve the time of a filtered page and cost a twentieth more disk. Those of traces are smaller still, because a page has few
 * that lie side by side: the wide rows of a page of 60 took 7.9 ms with 256, 6.6 ms with 128.
 */
const GRANULE_ROWS = { traces: 128, steps: 256 } as const
const SMALL_BLOCKS = 'min_compress_block_size = 4096, max_compress_block_size = 65536'

function settings(table: 'traces' | 'steps'): string {
  return `index_granularity = ${GRANULE_ROWS[table]}, ${SMALL_BLOCKS}, ${DURABLE}, ${SMALL_MERGES}`
}

const METRIC_SETTINGS = `${DURABLE}, ${SMALL_MERGES}`

/** Statements that give a store the tables it lacks, each safe to run again. */
export function telemetrySchema(dialect: TelemetryDialect): readonly string[] {
  return [tracesTable(dialect), stepsTable(dialect), ...metricTables(dialect, METRIC_SETTINGS)]
}

/** Makes the newest table of points under another name. */
export function metricPointsNamed(name: string): string {
  return metricPointsTable(EMBEDDED_DIALECT, METRIC_SETTINGS, name)
}

/**
 * One row for each version of a trace; the greatest `ver` is the truth and merges drop the others. `terms` holds what the feed filters by (traces/intake/terms.ts), each term whole.
 * `record` is all a page shows but the metadata (trace-row.ts): what is in no other column is never filtered, sorted or counted by. The default codec unpacks it
 * faster than ZSTD(1), for 40 bytes more a trace.
 */
function tracesTable({ replacingEngine, onCluster }: TelemetryDialect): string {
  return `
CREATE TABLE IF NOT EXISTS traces${onCluster} (
  project_id String,
  id String,
  ver UInt64,
  created_at DateTime64(3, 'UTC'),
  deleted UInt8,
  run_type LowCardinality(String),
  status LowCardinality(String),
  flagged UInt8,
  duration_ms Int64,
  step_count UInt32,
  input_tokens UInt64,
  output_tokens UInt64,
  cache_read_tokens UInt64,
  cache_write_tokens UInt64,
  total_tokens UInt64,
  models Array(LowCardinality(String)),
  terms Array(String),
  record String,
  metadata String CODEC(ZSTD(3)),
  INDEX terms_index terms TYPE text(tokenizer = 'array', ${POSTINGS}),
  INDEX ver_index ver TYPE minmax
)
ENGINE = ${replacingEngine('ver')}
PARTITION BY toYYYYMM(created_at)
ORDER BY (project_id, id)
SETTINGS ${settings('traces')}`
}

/** Steps in arrival order of their trace. Never changed; written once, and removed only with their trace. */
function stepsTable({ replacingEngine, onCluster }: TelemetryDialect): string {
  return `
CREATE TABLE IF NOT EXISTS steps${onCluster} (
  project_id String,
  trace_id String,
  position UInt32,
  id String,
  ver UInt64,
  trace_created_at DateTime64(3, 'UTC'),
  received_at Int64,
  parent_step_id String,
  parent_inferred UInt8,
  name String,
  type LowCardinality(String),
  model LowCardinality(String),
  status LowCardinality(String),
  started_at Int64,
  ended_at Int64,
  input_tokens UInt64,
  output_tokens UInt64,
  cache_read_tokens UInt64,
  cache_write_tokens UInt64,
  reasoning_tokens UInt64,
  idempotency_key String,
  text String CODEC(ZSTD(3)),
  body_bytes UInt32,
  body String CODEC(ZSTD(3)),
  INDEX text_index text TYPE text(tokenizer = 'splitByNonAlpha', ${POSTINGS}),
  INDEX ver_index ver TYPE minmax
)
ENGINE = ${replacingEngine('ver')}
PARTITION BY toYYYYMM(trace_created_at)
ORDER BY (project_id, trace_id, position)
SETTINGS ${settings('steps')}`
}
