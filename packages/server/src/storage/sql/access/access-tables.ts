import type { TablesIn } from '../schema/tables-in.ts'

/** In the words of SQLite: see render-tables.ts. */
export const ACCESS_SCHEMA = `
    CREATE TABLE projects (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      -- Times are milliseconds.
      created_at INTEGER NOT NULL,
      -- keep or agents_only.
      span_filter TEXT NOT NULL DEFAULT 'keep',
      -- Metadata keys.
      version_key TEXT NOT NULL DEFAULT 'version',
      task_key TEXT NOT NULL DEFAULT 'task_id',
      -- Null: the messages of the user.
      input_path TEXT,
      -- In days; null: for ever.
      retention_days INTEGER,
      flagged_days INTEGER,
      media_days INTEGER,
      -- JSON, as in the contract; null: nothing is masked.
      masking TEXT
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE keys (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      -- Comma-separated.
      scopes TEXT NOT NULL,
      secret_hash BLOB NOT NULL,
      last_four TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      revoked_at INTEGER,
      -- Null: no limit.
      requests_per_second INTEGER,
      bytes_per_second INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX keys_by_secret ON keys (secret_hash);
    CREATE INDEX keys_by_project ON keys (project_id, id);

    CREATE TABLE sessions (
      -- Grows in the order in which sessions were created.
      number NUMBERED NOT NULL PRIMARY KEY,
      token_hash BLOB NOT NULL UNIQUE,
      key_id TEXT NOT NULL REFERENCES keys (id),
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      -- Null: the project of its key.
      project_id TEXT REFERENCES projects (id)
    ) STRICT;
    CREATE INDEX sessions_by_key ON sessions (key_id, number);
    CREATE INDEX sessions_by_end ON sessions (expires_at);
` as const

export type AccessTables = TablesIn<typeof ACCESS_SCHEMA>
export type ProjectRow = AccessTables['projects']
export type KeyRow = AccessTables['keys']
