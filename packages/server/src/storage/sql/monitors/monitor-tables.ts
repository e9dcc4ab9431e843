import type { LeaseTables } from '../leases/lease-tables.ts'

/** Evaluations are written under a lease. */
export interface MonitorTables extends LeaseTables {
  monitors: MonitorRow
  monitor_history: HistoryRow
}

interface StandingRow {
  readonly state: string
  /** Times are milliseconds. */
  readonly state_since: number
  readonly breaches: number
  readonly last_value: number | null
  readonly last_samples: number | null
  readonly last_evaluated_at: number | null
}

export interface MonitorRow extends StandingRow {
  readonly id: string
  readonly project_id: string
  readonly name: string
  /** 0 or 1. */
  readonly enabled: number
  /** JSON. */
  readonly definition: string
  readonly revision: number
  readonly created_at: number
  readonly updated_at: number
}

export interface HistoryRow {
  readonly monitor_id: string
  readonly sequence: number
  readonly state: string
  readonly at: number
  readonly value: number | null
  readonly samples: number
  readonly threshold: number
  readonly cause: string
  readonly revision: number
  readonly recorded_at: number
}
