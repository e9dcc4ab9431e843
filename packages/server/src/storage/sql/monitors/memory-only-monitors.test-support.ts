import { DatabaseSync } from 'node:sqlite'
import type { ProjectId } from '@spoor/contract/ids'
import { systemClock } from '../../../lib/time/clock.ts'
import { ALL_MIGRATIONS } from '../migrations/control/all-migrations.ts'
import { runMigrations } from '../run-migrations.ts'
import { SqliteJournal } from '../journal/sqlite-journal.ts'
import { SqliteMonitorStore } from './sqlite-monitor-store.ts'

/** For tests: the real stores of monitors and journal on one database without a file, and so without the fsyncs. */
export function memoryOnlyMonitors(projectIds: readonly ProjectId[]): {
  readonly monitors: SqliteMonitorStore
  readonly journal: SqliteJournal
} {
  const database = new DatabaseSync(':memory:')
  runMigrations(database, ALL_MIGRATIONS, systemClock)
  for (const id of projectIds) database.prepare("INSERT INTO projects VALUES (?, 'a project', 0)").run(id)
  return { monitors: new SqliteMonitorStore(database), journal: new SqliteJournal(database) }
}
