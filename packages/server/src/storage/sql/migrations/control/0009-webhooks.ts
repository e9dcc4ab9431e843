import type { Migration } from './migration.ts'

/** Deliveries are in a database of their own. */
export const webhooks: Migration = {
  version: 9,
  name: 'webhooks, with their secrets sealed',
  statements: `
    CREATE TABLE webhooks (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      url TEXT NOT NULL,
      events TEXT NOT NULL,          -- comma-separated
      description TEXT NOT NULL,
      enabled INTEGER NOT NULL,
      disabled_reason TEXT,
      disabled_at INTEGER,
      since_position INTEGER NOT NULL,
      secret BLOB NOT NULL,          -- sealed
      previous_secret BLOB,          -- sealed
      previous_secret_until INTEGER,
      secret_key_id TEXT NOT NULL,   -- of the key that sealed both
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX webhooks_by_project ON webhooks (project_id, id);
    CREATE INDEX webhooks_enabled ON webhooks (project_id, id) WHERE enabled = 1;
    CREATE INDEX webhooks_with_previous ON webhooks (previous_secret_until) WHERE previous_secret_until IS NOT NULL;
  `,
}
