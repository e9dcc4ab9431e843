import type { Migration } from '../control/migration.ts'

/** The twin of ../clusters/0005-labels-and-failures.ts. */
export const labelsAndFailures: Migration = {
  version: 10,
  name: 'labels of clusters, and the measure of failure',
  statements: `
    ALTER TABLE jobs ADD COLUMN failure_by TEXT COLLATE "C" NOT NULL DEFAULT 'status';
    ALTER TABLE schedules ADD COLUMN failure_by TEXT COLLATE "C" NOT NULL DEFAULT 'status';
    ALTER TABLE runs ADD COLUMN failure_by TEXT COLLATE "C" NOT NULL DEFAULT 'status';
    CREATE TABLE cluster_labels (
      project_id BYTEA NOT NULL,
      cluster_id TEXT COLLATE "C" NOT NULL,
      label TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (project_id, cluster_id)
    );
  `,
}
