import type { Migration } from './migration.ts'

/**
 * Ids of traces, steps and projects are the 16 bytes behind their text in the journal's tables (hundreds of rows a
 * second or more) and text in the tables a person may look into. Times are milliseconds since 1970 UTC.
 */
export const projectsKeysJournal: Migration = {
  version: 1,
  name: 'projects, keys and the journal',
  statements: `
    CREATE TABLE projects (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE keys (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      scopes TEXT NOT NULL,          -- comma-separated
      secret_hash BLOB NOT NULL,     -- SHA-256
      last_four TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX keys_by_secret ON keys (secret_hash);
    CREATE INDEX keys_by_project ON keys (project_id, id);

    CREATE TABLE journal_state (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      version INTEGER NOT NULL,
      last_trace_id BLOB,
      head_position INTEGER NOT NULL,
      pruned_through INTEGER NOT NULL
    ) STRICT;
    INSERT INTO journal_state VALUES (1, 0, NULL, 0, 0);

    CREATE TABLE journal (
      last_position INTEGER NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      committed_at INTEGER NOT NULL,
      events BLOB NOT NULL           -- see event-encoding.ts
    ) STRICT;
    CREATE INDEX journal_by_project ON journal (project_id, last_position);

    CREATE TABLE trace_keys (
      project_id BLOB NOT NULL,
      key BLOB NOT NULL,             -- see compact-key.ts
      body_hash BLOB NOT NULL,
      trace_id BLOB NOT NULL,
      PRIMARY KEY (project_id, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE step_keys (
      trace_id BLOB NOT NULL,
      key BLOB NOT NULL,             -- see compact-key.ts
      step_id BLOB NOT NULL,
      content_hash BLOB NOT NULL,
      PRIMARY KEY (trace_id, key)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE superseded_keys (
      project_id BLOB NOT NULL,
      until_version INTEGER NOT NULL,
      trace_id BLOB NOT NULL,
      from_version INTEGER NOT NULL,
      superseded_at INTEGER NOT NULL,
      duration_ms REAL,
      total_tokens INTEGER NOT NULL,
      step_count INTEGER NOT NULL,
      PRIMARY KEY (project_id, until_version, trace_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE abandoned_versions (
      version INTEGER NOT NULL PRIMARY KEY
    ) STRICT;

    CREATE TABLE deleted_traces (
      trace_id BLOB NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
