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
