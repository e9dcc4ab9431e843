-- The tokens by model of the digest in `record` (TraceDigest in ports/traces/trace-record.ts), for the cost of a trace.
-- Nobody writes it: the engine takes it out of the packed record, where the digest is the 29th element.
ALTER TABLE traces{{on_cluster}} ADD COLUMN IF NOT EXISTS usage Array(Tuple(model LowCardinality(String), tokens Tuple(input UInt64, output UInt64, cacheRead UInt64, cacheWrite UInt64))) DEFAULT JSONExtract(record, 29, 'usage', 'Array(Tuple(model String, tokens Tuple(input UInt64, output UInt64, cacheRead UInt64, cacheWrite UInt64)))');
