import { DatabaseSync } from 'node:sqlite'
import { type Clock, systemClock } from '../../../lib/time/clock.ts'
import { CONTROL_MIGRATIONS } from '../schema/schemas.ts'
import { runMigrations } from '../run-migrations.ts'
import { SqliteJournal } from '../journal/sqlite-journal.ts'
import { SqliteDatabase } from '../kit/sqlite-database.ts'
import type { MediaTables } from './media-tables.ts'
import { SqlMediaStore } from './sql-media-store.ts'

/** For tests: the real stores of media and journal on one database without a file, and so without fsyncs. */
export function memoryOnlyMedia(clock: Clock = systemClock): {
  readonly media: SqlMediaStore
  readonly journal: SqliteJournal
} {
  const database = new DatabaseSync(':memory:')
  runMigrations(database, CONTROL_MIGRATIONS, systemClock)
  const tables = new SqliteDatabase(database)
  const media = new SqlMediaStore(tables.withTables<MediaTables>(), clock)
  return { media, journal: new SqliteJournal(tables) }
}
