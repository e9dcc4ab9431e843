import type { TelemetryDialect } from '../engine/telemetry-dialect.ts'

/** Of which a row's `minute` counts: whole minutes since 1970 UTC. */
export const MINUTE_MS = 60_000

/** Of a DateTime64(3), a UInt32. */
export function minuteOf(time: string): string {
  return `toUInt32(intDiv(toUnixTimestamp64Milli(${time}), ${MINUTE_MS}))`
}

/**
 * Metric events by metric and time, narrow, for series, monitors and lists, which go through many. Rows never change and each is there once, so that nothing needs FINAL.
 *
 * Within a minute they lie by what they say: equal options side by side are counted in runs, and ascending values are sorted already where percentiles are taken of them. The minute takes
 * next to nothing in the store, and what asks for whole minutes reads it in place of `at`. A series by minute takes half of the time that it takes of rows ordered by `at`
 * (docs/formats/series.md has what was measured, of codecs and key types too). Granules of 1,024 cost a scan nothing, and a page of the list an eighth of the default's.
 * `settings` are those that all tables share.
 */
export function metricPointsTable(
  { replacingEngine, onCluster }: TelemetryDialect,
  settings: string,
  name = 'metric_points',
): string {
  return `
CREATE TABLE IF NOT EXISTS ${name}${onCluster} (
  project_id LowCardinality(String),
  metric_id LowCardinality(String),
  at DateTime64(3, 'UTC') CODEC(T64),
  minute UInt32 DEFAULT ${minuteOf('at')},
  id String,
  trace_id String,
  ver UInt64,
  step_id String,
  value Float64 CODEC(NONE),
  option LowCardinality(String),
  source LowCardinality(String),
  run_type LowCardinality(String),
  models Array(LowCardinality(String)),
  terms Array(String) CODEC(ZSTD(1)),
  INDEX ver_index ver TYPE minmax,
  INDEX at_index at TYPE minmax
)
ENGINE = ${replacingEngine('ver')}
PARTITION BY toYear(at)
ORDER BY (project_id, metric_id, minute, option, value, id)
SETTINGS index_granularity = 1024, ${settings}`
}
