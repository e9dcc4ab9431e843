import type { Migration } from './migration.ts'

/** Traces that come in pieces, whose root has come and that are not complete. `version`: of the latest change. */
export const quietWaits: Migration = {
  version: 18,
  name: 'traces that wait to become complete',
  statements: `
    CREATE TABLE quiet_waits (
      trace_id BLOB NOT NULL PRIMARY KEY,
      project_id BLOB NOT NULL,
      version INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX quiet_waits_by_version ON quiet_waits (version);
  `,
}
