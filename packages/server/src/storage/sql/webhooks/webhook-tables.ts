import type { TablesIn } from '../schema/tables-in.ts'

/**
 * In the words of SQLite: see render-tables.ts. `delivery_store` remembers that `deliveries.db` exists, so that a start
 * notices when it is gone.
 */
export const WEBHOOK_SCHEMA = `
    CREATE TABLE webhooks (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      -- Sealed text.
      url TEXT NOT NULL,
      -- Comma-separated.
      events TEXT NOT NULL,
      description TEXT NOT NULL,
      -- 0 or 1.
      enabled INTEGER NOT NULL,
      disabled_reason TEXT,
      -- Times are milliseconds.
      disabled_at INTEGER,
      since_position INTEGER NOT NULL,
      -- Sealed, like the previous one.
      secret BLOB NOT NULL,
      previous_secret BLOB,
      previous_secret_until INTEGER,
      -- Id of the key that sealed these and the URL.
      secret_key_id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      -- Of WEBHOOK_FORMATS.
      format TEXT NOT NULL DEFAULT 'json'
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX webhooks_by_project ON webhooks (project_id, id);
    CREATE INDEX webhooks_enabled ON webhooks (project_id, id) WHERE enabled = 1;
    CREATE INDEX webhooks_with_previous ON webhooks (previous_secret_until) WHERE previous_secret_until IS NOT NULL;

    -- Has one row if a delivery store has existed.
    CREATE TABLE delivery_store (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1)
    ) STRICT;
` as const

export type WebhookTables = TablesIn<typeof WEBHOOK_SCHEMA>
export type WebhookRow = WebhookTables['webhooks']
