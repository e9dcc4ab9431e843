-- Metric events by their trace, written once and removed only with it: what `record` (rows/metric-event-row.ts) and
-- `metadata` do not hold is what is filtered by. An event is in both tables, in this one for longer: the purge of a trace
-- finds here which events it has. Granules hold as many rows as are read to find one event: a trace has few.
CREATE TABLE IF NOT EXISTS metric_events{{on_cluster}} (
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
ENGINE = {{engine ReplacingMergeTree(ver)}}
PARTITION BY toYYYYMM(created_at)
ORDER BY (project_id, trace_id, id)
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 65536, {{table_settings}};

-- Metric events by metric and time, in the order that 0004 replaces.
CREATE TABLE IF NOT EXISTS metric_points{{on_cluster}} (
  project_id LowCardinality(String),
  metric_id LowCardinality(String),
  at DateTime64(3, 'UTC') CODEC(T64),
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
ENGINE = {{engine ReplacingMergeTree(ver)}}
PARTITION BY toYear(at)
ORDER BY (project_id, metric_id, at, id)
SETTINGS index_granularity = 1024, {{table_settings}};
