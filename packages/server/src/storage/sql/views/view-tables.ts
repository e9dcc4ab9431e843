import type { TablesIn } from '../schema/tables-in.ts'

/** In the words of SQLite: see render-tables.ts. */
export const VIEW_SCHEMA = `
    CREATE TABLE views (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      -- 'view' or 'dashboard'.
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      -- JSON.
      content TEXT NOT NULL,
      created_by TEXT,
      -- Milliseconds.
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX views_by_name ON views (project_id, kind, name);
    CREATE INDEX views_by_project ON views (project_id, kind, id);
` as const

export type ViewTables = TablesIn<typeof VIEW_SCHEMA>
export type ViewRow = ViewTables['views']
