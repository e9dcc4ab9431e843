import type { Migration } from '../control/migration.ts'

/** The twin of ../control/0018-quiet-waits.ts. */
export const quietWaits: Migration = {
  version: 5,
  name: 'traces that wait to become complete',
  statements: `
    CREATE TABLE quiet_waits (
      trace_id BYTEA NOT NULL PRIMARY KEY,
      project_id BYTEA NOT NULL,
      version BIGINT NOT NULL
    );
    CREATE INDEX quiet_waits_by_version ON quiet_waits (version);
  `,
}
