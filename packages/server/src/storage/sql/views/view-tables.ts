export interface ViewTables {
  views: ViewRow
}

export interface ViewRow {
  readonly id: string
  readonly project_id: string
  readonly name: string
  /** JSON. */
  readonly query: string
  readonly display: string
  readonly created_by: string
  /** Milliseconds. */
  readonly created_at: number
  readonly updated_at: number
}

/** In the words of SQLite: see render-tables.ts. */
export const VIEW_SCHEMA = `
    CREATE TABLE views (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      query TEXT NOT NULL,
      display TEXT NOT NULL,
      created_by TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX views_by_name ON views (project_id, name);
    CREATE INDEX views_by_project ON views (project_id, id);
`
