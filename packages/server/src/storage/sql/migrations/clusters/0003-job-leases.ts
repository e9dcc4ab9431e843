import type { Migration } from '../control/migration.ts'

/**
 * Which process runs a job; one that ran before has no lease, so the next process takes it back. And what SQLite is to
 * assume about members: without statistics it takes a run for a few rows, and walks all of them to find a list of
 * traces.
 */
export const jobLeases: Migration = {
  version: 3,
  name: 'leases of jobs',
  statements: `
    ALTER TABLE jobs ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;   -- grows whenever a process takes the job
    ALTER TABLE jobs ADD COLUMN holder TEXT;                        -- who took it last; null before the first
    ALTER TABLE jobs ADD COLUMN held_until INTEGER;                 -- the end of the lease, while it runs

    ANALYZE sqlite_schema;
    INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
      ('members', 'members', '1000000 100000 1'),
      ('members', 'members_by_trace', '1000000 100000 1'),
      ('members', 'members_by_cluster', '1000000 100000 10000 1');
    ANALYZE sqlite_schema;
  `,
}
