import type { TablesIn } from '../schema/tables-in.ts'

/** In the words of SQLite: see render-tables.ts. */
export const AUDIT_SCHEMA = `
    CREATE TABLE audit_entries (
      id TEXT NOT NULL PRIMARY KEY,
      -- Empty: of no project.
      project_id TEXT NOT NULL,
      -- Milliseconds.
      at INTEGER NOT NULL,
      actor_kind TEXT NOT NULL,
      actor_id TEXT,
      action TEXT NOT NULL,
      target_kind TEXT NOT NULL,
      target_id TEXT,
      -- JSON.
      detail TEXT NOT NULL,
      request_id TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX audit_by_project ON audit_entries (project_id, id);
    CREATE INDEX audit_by_time ON audit_entries (at);
` as const

export type AuditTables = TablesIn<typeof AUDIT_SCHEMA>
export type AuditRow = AuditTables['audit_entries']
