import { metricPointsTable } from './metric-points-table.ts'
import type { TelemetryDialect } from '../engine/telemetry-dialect.ts'

/** Statements that make the tables of metric events, each safe to run again. `settings`: those that every table has. */
export function metricTables(dialect: TelemetryDialect, settings: string): readonly string[] {
  return [metricEventsTable(dialect, settings), metricPointsTable(dialect, settings)]
}

/** As many rows as are read to find one event: a trace has few. */
const EVENT_GRANULE_ROWS = 256
const SMALL_BLOCKS = 'min_compress_block_size = 4096, max_compress_block_size = 65536'

/**
 * Metric events by their trace, written once and removed only with it: what `record` (metric-event-row.ts) and `metadata` do not hold is what is filtered by. An event is in both tables, in
 * this one for longer: who removes events finds here which there are.
 */
function metricEventsTable({ replacingEngine, onCluster }: TelemetryDialect, settings: string): string {
  return `
CREATE TABLE IF NOT EXISTS metric_events${onCluster} (
  project_id String,
  trace_id String,
  id String,
  ver UInt64,
  created_at DateTime64(3, 'UTC'),
  metric_id String,
  at DateTime64(3, 'UTC'),
  step_id String,
  source LowCardinality(String),
  record String,
  metadata String CODEC(ZSTD(3)),
  INDEX ver_index ver TYPE minmax
)
ENGINE = ${replacingEngine('ver')}
PARTITION BY toYYYYMM(created_at)
ORDER BY (project_id, trace_id, id)
SETTINGS index_granularity = ${EVENT_GRANULE_ROWS}, ${SMALL_BLOCKS}, ${settings}`
}
