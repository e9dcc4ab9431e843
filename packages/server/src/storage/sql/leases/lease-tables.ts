import type { TablesIn } from '../schema/tables-in.ts'

/** In the words of SQLite: see render-tables.ts. */
export const LEASE_SCHEMA = `
    CREATE TABLE leases (
      name TEXT NOT NULL PRIMARY KEY,
      holder TEXT NOT NULL,
      epoch INTEGER NOT NULL,
      -- Milliseconds; 0: released.
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
` as const

export type LeaseTables = TablesIn<typeof LEASE_SCHEMA>
export type LeaseRow = LeaseTables['leases']
