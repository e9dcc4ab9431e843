import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../../lib/time/clock.ts'
import { CONTROL_MIGRATIONS } from '../schema/schemas.ts'
import { SqliteDatabase } from '../kit/sqlite-database.ts'
import { runMigrations } from '../run-migrations.ts'
import { SqliteJournal } from './sqlite-journal.ts'

/** For tests: the real journal without a file, and so without fsyncs. It is freed by garbage collection. */
export function memoryOnlyJournal(): SqliteJournal {
  const database = new DatabaseSync(':memory:')
  runMigrations(database, CONTROL_MIGRATIONS, systemClock)
  return new SqliteJournal(new SqliteDatabase(database))
}
