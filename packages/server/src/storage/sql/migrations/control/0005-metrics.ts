import type { Migration } from './migration.ts'

export const metrics: Migration = {
  version: 5,
  name: 'definitions of metrics',
  statements: `
    CREATE TABLE metrics (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      meaning TEXT NOT NULL,         -- JSON: description, min, max, unit, options, direction
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX metrics_by_name ON metrics (project_id, name);
    CREATE INDEX metrics_by_project ON metrics (project_id, id);
  `,
}
