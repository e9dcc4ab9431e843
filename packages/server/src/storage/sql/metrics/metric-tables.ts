import type { TablesIn } from '../schema/tables-in.ts'

/** In the words of SQLite: see render-tables.ts. */
export const METRIC_SCHEMA = `
    CREATE TABLE metrics (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      -- JSON: the definition without its name and kind.
      meaning TEXT NOT NULL,
      -- Milliseconds.
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX metrics_by_name ON metrics (project_id, name);
    CREATE INDEX metrics_by_project ON metrics (project_id, id);
` as const

export type MetricTables = TablesIn<typeof METRIC_SCHEMA>
export type MetricRow = MetricTables['metrics']
