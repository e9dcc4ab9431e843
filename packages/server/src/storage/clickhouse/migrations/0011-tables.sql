-- The tables of the first release. Stores of 0001 to 0010 were written by versions from before it.

-- One row for each version of a trace; the greatest `ver` is the truth and merges drop the others. What is filtered,
-- sorted, grouped or summed by has a column; what is rare or long is in `terms` (traces/rules/terms.ts), each term whole,
-- which an index finds. `record` is all that a page shows except the metadata (rows/trace-row.ts). The default codec
-- unpacks it faster than ZSTD(1), for 40 bytes more a trace.
--
-- A page of the feed and the steps of one trace are rows from many places: what is read and unpacked for each is a
-- granule of every column. Small granules in blocks of their own halve the time of a filtered page and cost a twentieth
-- more disk. Those of traces are smaller still, because a page has few that lie side by side: the wide rows of a page of
-- 60 took 7.9 ms with 256, 6.6 ms with 128. Bit-packed postings take a third less disk than the default at the same speed.
--
-- A project's id is compared for each row of a granule: as LowCardinality, also in the key, it takes a fifth of the time.
-- `models` has '' for none, so that grouping by it needs no function that loses the dictionary. `meta` has a bucket for
-- each hash of a key: one key of a million traces is read without the others.
CREATE TABLE IF NOT EXISTS traces{{on_cluster}} (
  project_id LowCardinality(String),
  id String,
  ver UInt64,
  created_at DateTime64(3, 'UTC'),
  deleted UInt8,
  name LowCardinality(String),
  run_type LowCardinality(String),
  status LowCardinality(String),
  flagged UInt8,
  recovered_errors UInt32,
  session_id String,
  user_id String,
  duration_ms Int64,
  step_count UInt32,
  input_tokens UInt64,
  output_tokens UInt64,
  cache_read_tokens UInt64,
  cache_write_tokens UInt64,
  reasoning_tokens UInt64,
  total_tokens UInt64,
  wasted_tokens UInt64,
  models Array(LowCardinality(String)),
  usage Array(Tuple(model LowCardinality(String), tokens Tuple(input UInt64, output UInt64, cacheRead UInt64, cacheWrite UInt64))),
  wasted Array(Tuple(model LowCardinality(String), tokens Tuple(input UInt64, output UInt64, cacheRead UInt64, cacheWrite UInt64))),
  meta Map(LowCardinality(String), String),
  terms Array(String),
  record String,
  metadata String CODEC(ZSTD(3)),
  INDEX terms_index terms TYPE text(tokenizer = 'array', posting_list_codec = 'bitpacking', posting_list_block_size = 65536),
  INDEX ver_index ver TYPE minmax
)
ENGINE = {{engine ReplacingMergeTree(ver)}}
PARTITION BY toYYYYMM(created_at)
ORDER BY (project_id, id)
SETTINGS index_granularity = 128, min_compress_block_size = 4096, max_compress_block_size = 65536,
  map_serialization_version = 'with_buckets', {{table_settings}};

-- Steps in arrival order of their trace. Never changed: written once, and removed only with their trace. `record` is all
-- that a read of a step shows except its body (STEP_RECORD in rows/step-row.ts). `body` has the numbers of long texts of
-- `text` in place of them (rows/cut-body.ts): they are stored once. `sender` is who sent it, and what it lacks.
-- What steps are filtered, sorted and grouped by has a column, with the names and types of `traces`: `tools` and
-- `arguments` of the calls that the step makes (traces/rules/argument-terms.ts).
CREATE TABLE IF NOT EXISTS steps{{on_cluster}} (
  project_id LowCardinality(String),
  trace_id String,
  position UInt32,
  id String,
  ver UInt64,
  trace_created_at DateTime64(3, 'UTC'),
  name LowCardinality(String),
  type LowCardinality(String),
  model LowCardinality(String),
  status LowCardinality(String),
  error_type LowCardinality(String),
  tools Array(LowCardinality(String)),
  arguments Array(String) CODEC(ZSTD(3)),
  started_at Int64 CODEC(T64, ZSTD(1)),
  duration_ms Int64 CODEC(T64, ZSTD(1)),
  time_to_first_token_ms Int64 CODEC(T64, ZSTD(1)),
  input_tokens UInt64 CODEC(T64, ZSTD(1)),
  output_tokens UInt64 CODEC(T64, ZSTD(1)),
  cache_read_tokens UInt64,
  total_tokens UInt64 CODEC(T64, ZSTD(1)),
  usage Array(Tuple(model LowCardinality(String), tokens Tuple(input UInt64, output UInt64, cacheRead UInt64, cacheWrite UInt64))) CODEC(ZSTD(1)),
  sender LowCardinality(String),
  text String CODEC(ZSTD(3)),
  words String CODEC(ZSTD(3)),
  body_bytes UInt32,
  record String,
  body String CODEC(ZSTD(3)),
  INDEX text_index concat(lower(text), ' ', words) TYPE text(tokenizer = 'splitByNonAlpha', posting_list_codec = 'bitpacking', posting_list_block_size = 65536),
  INDEX ver_index ver TYPE minmax
)
ENGINE = {{engine ReplacingMergeTree(ver)}}
PARTITION BY toYYYYMM(trace_created_at)
ORDER BY (project_id, trace_id, position)
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 65536, {{table_settings}};

-- Metric events by their trace, written once and removed only with it: what `record` (rows/metric-event-row.ts) and
-- `metadata` do not hold is what is filtered by. An event is in both tables, in this one for longer: the purge of a trace
-- finds here which events it has. Granules hold as many rows as are read to find one event: a trace has few.
CREATE TABLE IF NOT EXISTS metric_events{{on_cluster}} (
  project_id LowCardinality(String),
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

-- Metric events by metric and time, narrow, for series, monitors and lists, which read many. Rows never change and each
-- is there once, so that nothing needs FINAL.
--
-- Within a minute they lie by what they say: equal options side by side are counted in runs, and ascending values are
-- sorted already where percentiles are taken of them. The minute takes next to nothing in the store, and a query over
-- whole minutes reads it in place of `at`. A series by minute takes half of the time that it takes of rows ordered by
-- `at` (docs/formats/series.md has what was measured, of codecs and key types too). Granules of 1,024 cost a scan
-- nothing, and a page of the list an eighth of the default's.
CREATE TABLE IF NOT EXISTS metric_points{{on_cluster}} (
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
  meta Map(LowCardinality(String), String),
  INDEX ver_index ver TYPE minmax,
  INDEX at_index at TYPE minmax
)
ENGINE = {{engine ReplacingMergeTree(ver)}}
PARTITION BY toYear(at)
ORDER BY (project_id, metric_id, minute, option, value, id)
SETTINGS index_granularity = 1024, map_serialization_version = 'with_buckets', {{table_settings}};

-- Through which commit the rows of a log of several nodes are in the tables: each batch inserts its number last. Only the
-- greatest counts, and merges drop the others. The embedded store has no rows here.
CREATE TABLE IF NOT EXISTS settled_batches{{on_cluster}} (
  log String,
  ver UInt64
)
ENGINE = {{engine ReplacingMergeTree(ver)}}
ORDER BY log
SETTINGS {{table_settings}};
