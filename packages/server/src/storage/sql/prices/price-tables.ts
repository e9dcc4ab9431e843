import type { TablesIn } from '../schema/tables-in.ts'

/** In the words of SQLite: see render-tables.ts. */
export const PRICE_SCHEMA = `
    -- US dollars per million tokens.
    CREATE TABLE prices (
      -- The 16 bytes of its id.
      project_id BLOB NOT NULL,
      model TEXT NOT NULL,
      input_rate REAL NOT NULL,
      output_rate REAL NOT NULL,
      -- Null: same as input_rate.
      cache_read_rate REAL,
      cache_write_rate REAL,
      -- Milliseconds.
      updated_at INTEGER NOT NULL,
      PRIMARY KEY (project_id, model)
    ) STRICT, WITHOUT ROWID;
` as const

export type PriceTables = TablesIn<typeof PRICE_SCHEMA>
export type PriceRow = PriceTables['prices']
