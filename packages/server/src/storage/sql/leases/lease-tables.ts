export interface LeaseTables {
  leases: LeaseRow
}

export interface LeaseRow {
  readonly name: string
  readonly holder: string
  readonly epoch: number
  /** Milliseconds; 0: released. */
  readonly until: number
}

/** In the words of SQLite: see render-tables.ts. */
export const LEASE_SCHEMA = `
    CREATE TABLE leases (
      name TEXT NOT NULL PRIMARY KEY,
      holder TEXT NOT NULL,
      epoch INTEGER NOT NULL,
      until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
`
