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

/** In the words of SQLite: see render-tables.ts. */
export const MONITOR_SCHEMA = `
    CREATE TABLE monitors (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      enabled INTEGER NOT NULL,
      definition TEXT NOT NULL,
      revision INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      state TEXT NOT NULL,
      state_since INTEGER NOT NULL,
      breaches INTEGER NOT NULL,
      last_value REAL,
      last_samples INTEGER,
      last_evaluated_at INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX monitors_by_project ON monitors (project_id, id);

    CREATE TABLE monitor_history (
      monitor_id TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      state TEXT NOT NULL,
      at INTEGER NOT NULL,
      value REAL,
      samples INTEGER NOT NULL,
      threshold REAL NOT NULL,
      cause TEXT NOT NULL,
      revision INTEGER NOT NULL,
      recorded_at INTEGER NOT NULL,
      PRIMARY KEY (monitor_id, sequence)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX monitor_history_by_time ON monitor_history (recorded_at);
`
