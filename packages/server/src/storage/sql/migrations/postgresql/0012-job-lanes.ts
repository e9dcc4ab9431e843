import type { Migration } from '../control/migration.ts'

/** The twin of ../clusters/0006-job-lanes.ts. */
export const jobLanes: Migration = {
  version: 12,
  name: 'lanes of jobs',
  statements: `
    ALTER TABLE jobs ADD COLUMN lane TEXT COLLATE "C" NOT NULL DEFAULT 'short';
  `,
}
