-- Whether `record` has the digest of the steps (TraceDigest in ports/traces/trace-record.ts). Rows of before have none:
-- a later version of each trace fills it in (traces/commit/fill-digests.ts), which finds them by this column.
ALTER TABLE traces{{on_cluster}} ADD COLUMN IF NOT EXISTS has_digest UInt8 DEFAULT 0;
