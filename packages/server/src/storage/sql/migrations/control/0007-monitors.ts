import type { Migration } from './migration.ts'

/** State and history change in transactions of the journal alone: with their event or not at all. */
export const monitors: Migration = {
  version: 7,
  name: 'monitors, their history and who evaluates them',
  statements: `
    CREATE TABLE monitors (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      name TEXT NOT NULL,
      enabled INTEGER NOT NULL,
      definition TEXT NOT NULL,      -- JSON
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

    CREATE TABLE monitor_lease (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
      holder TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT;
  `,
}
