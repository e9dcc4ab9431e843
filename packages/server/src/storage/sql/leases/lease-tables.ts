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
