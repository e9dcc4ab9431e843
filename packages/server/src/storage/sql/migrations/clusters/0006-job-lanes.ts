import type { Migration } from '../control/migration.ts'

/** In which lane a job waits and runs. */
export const jobLanes: Migration = {
  version: 6,
  name: 'lanes of jobs',
  statements: `
    ALTER TABLE jobs ADD COLUMN lane TEXT NOT NULL DEFAULT 'short';
  `,
}
