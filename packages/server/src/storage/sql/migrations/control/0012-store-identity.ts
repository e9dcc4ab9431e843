import type { Migration } from './migration.ts'

/**
 * What ties the files of a data directory together; `parts_recorded`: a record of the engine's parts exists and must be
 * found.
 */
export const storeIdentity: Migration = {
  version: 12,
  name: 'identity of the store',
  statements: `
    CREATE TABLE store_identity (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      store_id TEXT NOT NULL,
      parts_recorded INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT INTO store_identity (only_row, store_id) VALUES (1, lower(hex(randomblob(8))));
  `,
}
