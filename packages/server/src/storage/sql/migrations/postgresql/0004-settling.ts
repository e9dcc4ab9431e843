import type { Migration } from '../control/migration.ts'

/** How much of the log is in ClickHouse, and the batch that is on its way there. */
export const settling: Migration = {
  version: 4,
  name: 'settling',
  statements: `
    CREATE TABLE settling (
      only_row BIGINT NOT NULL PRIMARY KEY CHECK (only_row = 1),
      settled_through BIGINT NOT NULL DEFAULT 0,
      wanted_through BIGINT NOT NULL DEFAULT 0,
      pruned_through BIGINT NOT NULL DEFAULT 0,
      batch_id TEXT COLLATE "C",
      batch_through BIGINT
    );
    INSERT INTO settling (only_row) VALUES (1);

    CREATE TABLE settled_marks (
      through BIGINT NOT NULL PRIMARY KEY,
      settled_at BIGINT NOT NULL
    );
  `,
}
