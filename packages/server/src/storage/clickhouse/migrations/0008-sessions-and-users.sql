-- By what sessions and users are listed (feed/clickhouse-trace-summaries.ts): `terms` has both, but is many times wider
-- and has hashes of long ids. '' is none. Rows of before have both computed from `record` until a merge stores them.
ALTER TABLE traces{{on_cluster}} ADD COLUMN IF NOT EXISTS session_id String DEFAULT JSONExtractString(record, 6);

ALTER TABLE traces{{on_cluster}} ADD COLUMN IF NOT EXISTS user_id String DEFAULT JSONExtractString(record, 7);
