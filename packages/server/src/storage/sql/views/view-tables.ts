import type { TablesIn } from '../schema/tables-in.ts'

/** In the words of SQLite: see render-tables.ts. */
export const VIEW_SCHEMA = `
    CREATE TABLE views (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      -- JSON.
      query TEXT NOT NULL,
      display TEXT NOT NULL,
      created_by TEXT NOT NULL,
      -- Milliseconds.
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX views_by_name ON views (project_id, name);
    CREATE INDEX views_by_project ON views (project_id, id);
` as const

export type ViewTables = TablesIn<typeof VIEW_SCHEMA>
export type ViewRow = ViewTables['views']
