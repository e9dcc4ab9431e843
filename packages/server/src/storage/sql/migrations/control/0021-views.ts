import type { Migration } from './migration.ts'

/** Saved views of the list of traces. */
export const views: Migration = {
  version: 21,
  name: 'saved views',
  statements: `
    CREATE TABLE views (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      query TEXT NOT NULL,           -- JSON: the parameters of the list
      display TEXT NOT NULL,         -- JSON: what clients need to show it
      created_by TEXT NOT NULL,      -- a key, which may be revoked
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX views_by_name ON views (project_id, name);
    CREATE INDEX views_by_project ON views (project_id, id);
  `,
}
