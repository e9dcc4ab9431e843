-- Through which commit the rows of a log of several nodes are in the tables: each batch inserts its number last. Only the
-- greatest counts, and merges drop the others. The embedded store has no rows here.
CREATE TABLE IF NOT EXISTS settled_batches{{on_cluster}} (
  log String,
  ver UInt64
)
ENGINE = {{engine ReplacingMergeTree(ver)}}
ORDER BY log
SETTINGS {{table_settings}};
