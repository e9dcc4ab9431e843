export interface WebhookTables {
  webhooks: WebhookRow
  delivery_store: MarkRow
}

export interface WebhookRow {
  readonly id: string
  readonly project_id: string
  /** Sealed text. */
  readonly url: string
  /** Comma-separated. */
  readonly events: string
  /** Of WEBHOOK_FORMATS. */
  readonly format: string
  readonly description: string
  /** 0 or 1. */
  readonly enabled: number
  readonly disabled_reason: string | null
  /** Times are milliseconds. */
  readonly disabled_at: number | null
  readonly since_position: number
  /** Sealed, like the previous one. */
  readonly secret: Uint8Array
  readonly previous_secret: Uint8Array | null
  readonly previous_secret_until: number | null
  /** Id of the key that sealed these and the URL. */
  readonly secret_key_id: string
  readonly created_at: number
  readonly updated_at: number
}

/** Has one row if a delivery store has existed. */
interface MarkRow {
  readonly only_row: number
}

/**
 * In the words of SQLite: see render-tables.ts. `delivery_store` remembers that `deliveries.db` exists, so that a start
 * notices when it is gone.
 */
export const WEBHOOK_SCHEMA = `
    CREATE TABLE webhooks (
      id TEXT NOT NULL PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id),
      url TEXT NOT NULL,
      events TEXT NOT NULL,
      description TEXT NOT NULL,
      enabled INTEGER NOT NULL,
      disabled_reason TEXT,
      disabled_at INTEGER,
      since_position INTEGER NOT NULL,
      secret BLOB NOT NULL,
      previous_secret BLOB,
      previous_secret_until INTEGER,
      secret_key_id TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      format TEXT NOT NULL DEFAULT 'json'
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX webhooks_by_project ON webhooks (project_id, id);
    CREATE INDEX webhooks_enabled ON webhooks (project_id, id) WHERE enabled = 1;
    CREATE INDEX webhooks_with_previous ON webhooks (previous_secret_until) WHERE previous_secret_until IS NOT NULL;

    CREATE TABLE delivery_store (
      only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1)
    ) STRICT;
`
