import type { Migration } from './migration.ts'

/** Discoveries whose events are in the journal: written in its transactions alone, so that each is told once. */
export const toldClusterRuns: Migration = {
  version: 10,
  name: 'discoveries of clusters that were told',
  statements: `
    CREATE TABLE told_cluster_runs (
      run_id TEXT NOT NULL PRIMARY KEY,
      told_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
}
