import type { Migration } from '../control/migration.ts'

/** The log of all nodes: commits until they have settled. Their payload is compressed already. */
export const commits: Migration = {
  version: 2,
  name: 'commits',
  statements: `
    CREATE TABLE commits (
      version BIGINT NOT NULL PRIMARY KEY,
      id BYTEA NOT NULL,
      payload BYTEA NOT NULL,
      journal_rows BYTEA NOT NULL
    );
    ALTER TABLE commits ALTER COLUMN payload SET STORAGE EXTERNAL;
  `,
}
