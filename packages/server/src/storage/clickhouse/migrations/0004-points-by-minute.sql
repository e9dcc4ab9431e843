-- Metric events by metric and time, narrow, for series, monitors and lists, which read many. Rows never change and each
-- is there once, so that nothing needs FINAL.
--
-- Within a minute they lie by what they say: equal options side by side are counted in runs, and ascending values are
-- sorted already where percentiles are taken of them. The minute takes next to nothing in the store, and a query over
-- whole minutes reads it in place of `at`. A series by minute takes half of the time that it takes of rows ordered by
-- `at` (docs/formats/series.md has what was measured, of codecs and key types too). Granules of 1,024 cost a scan
-- nothing, and a page of the list an eighth of the default's.
--
-- The table is filled under another name and takes the place of the other when it is whole: seconds for a million rows,
-- and as much disk again. After a kill all of it is repeated; behind the exchange that copies the table onto itself.
DROP TABLE IF EXISTS metric_points_copy{{on_cluster}} SYNC;

CREATE TABLE metric_points_copy{{on_cluster}} (
  project_id LowCardinality(String),
  metric_id LowCardinality(String),
  at DateTime64(3, 'UTC') CODEC(T64),
  minute UInt32 DEFAULT toUInt32(intDiv(toUnixTimestamp64Milli(at), 60000)),
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
ORDER BY (project_id, metric_id, minute, option, value, id)
SETTINGS index_granularity = 1024, {{table_settings}};

-- Blocks of a tenth of what the engine would gather: with all columns that is beyond the memory of a small process.
INSERT INTO metric_points_copy
  (project_id, metric_id, at, id, trace_id, ver, step_id, value, option, source, run_type, models, terms)
SELECT project_id, metric_id, at, id, trace_id, ver, step_id, value, option, source, run_type, models, terms
FROM metric_points
SETTINGS max_threads = 1, max_insert_threads = 1, max_partitions_per_insert_block = 0,
  min_insert_block_size_rows = 100000, min_insert_block_size_bytes = 0;

EXCHANGE TABLES metric_points AND metric_points_copy{{on_cluster}};

DROP TABLE IF EXISTS metric_points_copy{{on_cluster}} SYNC;
