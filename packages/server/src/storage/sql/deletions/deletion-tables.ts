import type { TablesIn } from '../schema/tables-in.ts'

/** In the words of SQLite: see render-tables.ts. */
export const DELETION_SCHEMA = `
    CREATE TABLE deletion_jobs (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      -- See JOB_KINDS of the contract.
      kind TEXT NOT NULL,
      -- JSON.
      filters TEXT NOT NULL,
      status TEXT NOT NULL,
      done INTEGER NOT NULL,
      total INTEGER NOT NULL,
      error TEXT,
      -- JSON of UserReceipt.
      receipt TEXT,
      -- Milliseconds.
      created_at INTEGER NOT NULL,
      finished_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX deletion_jobs_open ON deletion_jobs (id) WHERE finished_at IS NULL;
    CREATE INDEX deletion_jobs_ended ON deletion_jobs (finished_at);

    -- A trace that a job deletes, and what it held. Until the job has ended.
    CREATE TABLE deletion_counts (
      job_id TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      steps INTEGER NOT NULL,
      metric_events INTEGER NOT NULL,
      media INTEGER NOT NULL,
      PRIMARY KEY (job_id, trace_id)
    ) STRICT, WITHOUT ROWID;
` as const

export type DeletionTables = TablesIn<typeof DELETION_SCHEMA>
export type CountRow = DeletionTables['deletion_counts']
export type DeletionRow = DeletionTables['deletion_jobs']
