import type { Generated } from 'kysely'

export interface AccessTables {
  projects: ProjectRow
  keys: KeyRow
  sessions: SessionsTable
}

export interface ProjectRow {
  readonly id: string
  readonly name: string
  /** Times are milliseconds. */
  readonly created_at: number
  /** `keep` or `agents_only`. */
  readonly span_filter: Generated<string>
}

export interface KeyRow {
  readonly id: string
  readonly project_id: string
  readonly name: string
  /** Comma-separated. */
  readonly scopes: string
  readonly secret_hash: Uint8Array
  readonly last_four: string
  readonly created_at: number
  readonly expires_at: number | null
  readonly revoked_at: number | null
}

interface SessionsTable {
  /** Grows in the order in which sessions were created. */
  readonly number: Generated<number>
  readonly token_hash: Uint8Array
  readonly key_id: string
  /** Null: the project of its key. */
  readonly project_id: string | null
  readonly created_at: number
  readonly expires_at: number
}

/** In the words of SQLite: see render-tables.ts. */
export const ACCESS_SCHEMA = `
    CREATE TABLE projects (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      span_filter TEXT NOT NULL DEFAULT 'keep'
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE keys (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      scopes TEXT NOT NULL,
      secret_hash BLOB NOT NULL,
      last_four TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX keys_by_secret ON keys (secret_hash);
    CREATE INDEX keys_by_project ON keys (project_id, id);

    CREATE TABLE sessions (
      number NUMBERED NOT NULL PRIMARY KEY,
      token_hash BLOB NOT NULL UNIQUE,
      key_id TEXT NOT NULL REFERENCES keys (id),
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      project_id TEXT REFERENCES projects (id)
    ) STRICT;
    CREATE INDEX sessions_by_key ON sessions (key_id, number);
    CREATE INDEX sessions_by_end ON sessions (expires_at);
`
