import type { Migration } from './migration.ts'

/**
 * Leases by name instead of the one of monitors. That one is not carried over: whoever held it does not know its epoch,
 * and only one service at a time uses a data folder.
 */
export const leases: Migration = {
  version: 16,
  name: 'named leases',
  statements: `
    CREATE TABLE leases (
      name TEXT NOT NULL PRIMARY KEY,
      holder TEXT NOT NULL,
      epoch INTEGER NOT NULL,        -- grows whenever the lease changes hands
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    DROP TABLE monitor_lease;
  `,
}
