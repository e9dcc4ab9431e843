import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../../lib/time/clock.ts'
import { ALL_MIGRATIONS } from '../migrations/control/all-migrations.ts'
import { runMigrations } from '../run-migrations.ts'
import { SqliteJournal } from '../journal/sqlite-journal.ts'
import { SqliteMediaStore } from './sqlite-media-store.ts'

/** For tests: the real stores of media and journal on one database without a file, and so without the fsyncs. */
export function memoryOnlyMedia(): { readonly media: SqliteMediaStore; readonly journal: SqliteJournal } {
  const database = new DatabaseSync(':memory:')
  runMigrations(database, ALL_MIGRATIONS, systemClock)
  return { media: new SqliteMediaStore(database), journal: new SqliteJournal(database) }
}
