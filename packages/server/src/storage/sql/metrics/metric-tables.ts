export interface MetricTables {
  metrics: MetricRow
}

export interface MetricRow {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly kind: string
  /** JSON: the definition without its name and kind. */
  readonly meaning: string
  /** Milliseconds. */
  readonly created_at: number
  readonly updated_at: number
}

/** In the words of SQLite: see render-tables.ts. */
export const METRIC_SCHEMA = `
    CREATE TABLE metrics (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      meaning TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX metrics_by_name ON metrics (project_id, name);
    CREATE INDEX metrics_by_project ON metrics (project_id, id);
`
