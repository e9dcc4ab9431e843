import type { Migration } from './migration.ts'

/**
 * The telemetry store holds nothing any more that was not committed: rows wait for the journal in the commit log, not
 * in the tables. `confirmations` is counted up to have something to write: see Journal.confirmLast.
 */
export const noAbandonedVersions: Migration = {
  version: 3,
  name: 'commits are never abandoned',
  statements: `
    DROP TABLE abandoned_versions;
    ALTER TABLE journal_state ADD COLUMN confirmations INTEGER NOT NULL DEFAULT 0;
  `,
}
