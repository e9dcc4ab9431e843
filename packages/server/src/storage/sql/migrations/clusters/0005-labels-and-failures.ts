import type { Migration } from '../control/migration.ts'

/** Labels that people gave, and by what a discovery takes a trace as failed. */
export const labelsAndFailures: Migration = {
  version: 5,
  name: 'labels of clusters, and the measure of failure',
  statements: `
    ALTER TABLE jobs ADD COLUMN failure_by TEXT NOT NULL DEFAULT 'status';
    ALTER TABLE schedules ADD COLUMN failure_by TEXT NOT NULL DEFAULT 'status';
    ALTER TABLE runs ADD COLUMN failure_by TEXT NOT NULL DEFAULT 'status';
    CREATE TABLE cluster_labels (
      project_id BLOB NOT NULL,
      cluster_id TEXT NOT NULL,
      label TEXT NOT NULL,
      PRIMARY KEY (project_id, cluster_id)
    ) STRICT, WITHOUT ROWID;
  `,
}
