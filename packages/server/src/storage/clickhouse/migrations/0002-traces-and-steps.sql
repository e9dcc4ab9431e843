-- Schema 1 was a development version from before the first release.

-- One row for each version of a trace; the greatest `ver` is the truth and merges drop the others. `terms` holds what
-- the feed filters by (traces/intake/terms.ts), each term whole. `record` is all that a page shows except the metadata
-- (rows/trace-row.ts): what is in no other column is never filtered, sorted or counted by. The default codec unpacks it
-- faster than ZSTD(1), for 40 bytes more a trace.
--
-- A page of the feed and the steps of one trace are rows from many places: what is read and unpacked for each is a
-- granule of every column. Small granules in blocks of their own halve the time of a filtered page and cost a twentieth
-- more disk. Those of traces are smaller still, because a page has few that lie side by side: the wide rows of a page of
-- 60 took 7.9 ms with 256, 6.6 ms with 128. Bit-packed postings take a third less disk than the default at the same speed.
CREATE TABLE IF NOT EXISTS traces{{on_cluster}} (
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
  INDEX terms_index terms TYPE text(tokenizer = 'array', posting_list_codec = 'bitpacking', posting_list_block_size = 65536),
  INDEX ver_index ver TYPE minmax
)
ENGINE = {{engine ReplacingMergeTree(ver)}}
PARTITION BY toYYYYMM(created_at)
ORDER BY (project_id, id)
SETTINGS index_granularity = 128, min_compress_block_size = 4096, max_compress_block_size = 65536, {{table_settings}};

-- Steps in arrival order of their trace. Never changed: written once, and removed only with their trace.
CREATE TABLE IF NOT EXISTS steps{{on_cluster}} (
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
  INDEX text_index text TYPE text(tokenizer = 'splitByNonAlpha', posting_list_codec = 'bitpacking', posting_list_block_size = 65536),
  INDEX ver_index ver TYPE minmax
)
ENGINE = {{engine ReplacingMergeTree(ver)}}
PARTITION BY toYYYYMM(trace_created_at)
ORDER BY (project_id, trace_id, position)
SETTINGS index_granularity = 256, min_compress_block_size = 4096, max_compress_block_size = 65536, {{table_settings}};
