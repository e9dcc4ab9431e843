import type { Migration } from './migration.ts'

/**
 * Rows are numbered in the order they were made: beyond the most of a key, the lowest go first, whatever the clock did
 * meanwhile.
 */
export const sessions: Migration = {
  version: 8,
  name: 'sessions of browsers',
  statements: `
    CREATE TABLE sessions (
      number INTEGER NOT NULL PRIMARY KEY,
      token_hash BLOB NOT NULL UNIQUE,
      key_id TEXT NOT NULL REFERENCES keys (id),
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sessions_by_key ON sessions (key_id, number);
    CREATE INDEX sessions_by_end ON sessions (expires_at);
  `,
}
