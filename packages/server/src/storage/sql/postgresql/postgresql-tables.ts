import type { TablesIn } from '../schema/tables-in.ts'

/**
 * What only nodes of a cluster have, in the words of SQLite: see render-tables.ts. `control_version` grows with each
 * transaction that changes what nodes cache. `heads`: the last commit of each partition of projects. `commits` is the
 * log until they have settled, with payloads that are compressed already; `partitions` are those of the projects that a
 * commit changes. `settling` says how much of it is in
 * ClickHouse, which batch is on its way there, and of which timeline the store is (cluster/timeline.ts). `nodes` are
 * those that run (cluster/node-list.ts).
 */
export const POSTGRESQL_SCHEMA = `
    CREATE TABLE control_version (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      version INTEGER NOT NULL
    );
    INSERT INTO control_version VALUES (1, 0);

    ALTER TABLE journal_state ADD COLUMN heads INTEGER[] NOT NULL DEFAULT array_fill(0::INTEGER, ARRAY[64]);

    CREATE TABLE commits (
      version INTEGER NOT NULL PRIMARY KEY,
      -- Random: says whose commit this is when the answer to COMMIT was lost.
      id BLOB NOT NULL,
      -- See commit-payload.ts.
      payload BLOB NOT NULL,
      -- JSON of the rows in the journal; positions are counted from journal_head.
      journal_rows BLOB NOT NULL,
      journal_head INTEGER NOT NULL,
      -- What its rows take in the memory of a node.
      bytes INTEGER NOT NULL
    );
    ALTER TABLE commits ADD COLUMN partitions INTEGER[] NOT NULL;
    ALTER TABLE commits ALTER COLUMN payload SET STORAGE EXTERNAL;

    CREATE TABLE settling (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      settled_through INTEGER NOT NULL DEFAULT 0,
      wanted_through INTEGER NOT NULL DEFAULT 0,
      pruned_through INTEGER NOT NULL DEFAULT 0,
      -- Of the batch that is on its way; null for none.
      batch_id TEXT,
      batch_through INTEGER,
      timeline TEXT NOT NULL
    );
    INSERT INTO settling (only_row, timeline) SELECT 1, store_id || ':1' FROM store_identity;

    CREATE TABLE settled_marks (
      through INTEGER NOT NULL PRIMARY KEY,
      settled_at INTEGER NOT NULL
    );

    CREATE TABLE nodes (
      holder TEXT NOT NULL PRIMARY KEY,
      address TEXT NOT NULL,
      -- Milliseconds.
      until INTEGER NOT NULL
    );
` as const

export type PostgresqlTables = TablesIn<typeof POSTGRESQL_SCHEMA>
