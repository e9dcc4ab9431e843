import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../../lib/time/clock.ts'
import { ALL_MIGRATIONS } from '../migrations/control/all-migrations.ts'
import { runMigrations } from '../run-migrations.ts'
import { SqlitePriceStore } from './sqlite-price-store.ts'

/** For tests: the real store of prices on a database without a file. */
export function memoryOnlyPrices(): SqlitePriceStore {
  const database = new DatabaseSync(':memory:')
  runMigrations(database, ALL_MIGRATIONS, systemClock)
  return new SqlitePriceStore(database)
}
