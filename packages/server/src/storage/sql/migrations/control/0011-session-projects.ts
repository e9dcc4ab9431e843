import type { Migration } from './migration.ts'

/** The project that a session has gone on in; null: that of its key. */
export const sessionProjects: Migration = {
  version: 11,
  name: 'projects of sessions',
  statements: `
    ALTER TABLE sessions ADD COLUMN project_id TEXT REFERENCES projects (id);
  `,
}
