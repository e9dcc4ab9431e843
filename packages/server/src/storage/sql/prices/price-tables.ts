export interface PriceTables {
  prices: PriceRow
}

/** US dollars per million tokens. */
export interface PriceRow {
  /** The 16 bytes of its id. */
  readonly project_id: Uint8Array
  readonly model: string
  readonly input_rate: number
  readonly output_rate: number
  /** Null: same as `input_rate`. */
  readonly cache_read_rate: number | null
  readonly cache_write_rate: number | null
  /** Milliseconds. */
  readonly updated_at: number
}

/** In the words of SQLite: see render-tables.ts. */
export const PRICE_SCHEMA = `
    CREATE TABLE prices (
      project_id BLOB NOT NULL,
      model TEXT NOT NULL,
      input_rate REAL NOT NULL,
      output_rate REAL NOT NULL,
      cache_read_rate REAL,
      cache_write_rate REAL,
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, model)
    ) STRICT, WITHOUT ROWID;
`
