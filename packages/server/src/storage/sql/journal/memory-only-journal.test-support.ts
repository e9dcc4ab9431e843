import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../../lib/time/clock.ts'
import { ALL_MIGRATIONS } from '../migrations/control/all-migrations.ts'
import { runMigrations } from '../run-migrations.ts'
import { SqliteJournal } from './sqlite-journal.ts'

/** For tests: the real journal without a file, and so without the fsyncs. It goes when nobody holds it any more. */
export function memoryOnlyJournal(): SqliteJournal {
  const database = new DatabaseSync(':memory:')
  runMigrations(database, ALL_MIGRATIONS, systemClock)
  return new SqliteJournal(database)
}
