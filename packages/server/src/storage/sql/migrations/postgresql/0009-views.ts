import type { Migration } from '../control/migration.ts'

/** Saved views of the list of traces. */
export const views: Migration = {
  version: 9,
  name: 'saved views',
  statements: `
    CREATE TABLE views (
      id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      project_id TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
      name TEXT COLLATE "C" NOT NULL,
      query TEXT COLLATE "C" NOT NULL,
      display TEXT COLLATE "C" NOT NULL,
      created_by TEXT COLLATE "C" NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    );
    CREATE UNIQUE INDEX views_by_name ON views (project_id, name);
    CREATE INDEX views_by_project ON views (project_id, id);
  `,
}
