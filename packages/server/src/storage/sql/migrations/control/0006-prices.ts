import type { Migration } from './migration.ts'

/** Token prices that projects set for themselves; the built-in ones are in the code. US dollars per million tokens. */
export const prices: Migration = {
  version: 6,
  name: 'token prices of projects',
  statements: `
    CREATE TABLE prices (
      project_id BLOB NOT NULL,
      model TEXT NOT NULL,
      input_rate REAL NOT NULL,
      output_rate REAL NOT NULL,
      cache_read_rate REAL,          -- null: as input
      cache_write_rate REAL,         -- null: as input
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, model)
    ) STRICT, WITHOUT ROWID;
  `,
}
