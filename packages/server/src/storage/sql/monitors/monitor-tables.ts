import type { LeaseTables } from '../leases/lease-tables.ts'
import type { TablesIn } from '../schema/tables-in.ts'

/** In the words of SQLite: see render-tables.ts. */
export const MONITOR_SCHEMA = `
    CREATE TABLE monitors (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      -- 0 or 1.
      enabled INTEGER NOT NULL,
      -- JSON.
      definition TEXT NOT NULL,
      revision INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      state TEXT NOT NULL,
      -- Times are milliseconds.
      state_since INTEGER NOT NULL,
      breaches INTEGER NOT NULL,
      last_value REAL,
      last_samples INTEGER,
      last_evaluated_at INTEGER,
      -- JSON: a list of groups, each with its state; empty without groups.
      groups TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX monitors_by_project ON monitors (project_id, id);

    CREATE TABLE monitor_history (
      monitor_id TEXT NOT NULL,
      sequence INTEGER NOT NULL,
      -- Null without groups.
      group_value TEXT,
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
` as const

/** Evaluations are written under a lease. */
export interface MonitorTables extends LeaseTables, TablesIn<typeof MONITOR_SCHEMA> {}
export type MonitorRow = MonitorTables['monitors']
export type HistoryRow = MonitorTables['monitor_history']
