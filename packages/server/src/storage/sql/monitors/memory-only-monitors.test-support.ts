import { DatabaseSync } from 'node:sqlite'
import type { ProjectId } from '@spoor/contract/ids'
import { systemClock, type Clock } from '../../../lib/time/clock.ts'
import type { MonitorTransition } from '../../../ports/journal/monitor-transition.ts'
import type { LeaseTables } from '../leases/lease-tables.ts'
import { SqlLeaseStore } from '../leases/sql-lease-store.ts'
import { CONTROL_MIGRATIONS } from '../schema/schemas.ts'
import { SqliteDatabase } from '../kit/sqlite-database.ts'
import { runMigrations } from '../run-migrations.ts'
import { SqliteJournal } from '../journal/sqlite-journal.ts'
import { applyTransition } from './monitor-changes.ts'
import { monitorStatementsOn } from './monitor-statements.ts'
import type { MonitorTables } from './monitor-tables.ts'
import { SqlMonitorStore } from './sql-monitor-store.ts'

/**
 * For tests: the real stores of monitors, leases and journal on one database without a file, and so without fsyncs.
 */
export function memoryOnlyMonitors(projectIds: readonly ProjectId[], clock: Clock = systemClock) {
  const database = new DatabaseSync(':memory:')
  runMigrations(database, CONTROL_MIGRATIONS, systemClock)
  for (const id of projectIds)
    database.prepare("INSERT INTO projects (id, name, created_at) VALUES (?, 'a project', 0)").run(id)
  const tables = new SqliteDatabase(database)
  const statements = monitorStatementsOn(tables.withTables<MonitorTables>())
  return {
    monitors: new SqlMonitorStore(tables.withTables<MonitorTables>()),
    leases: new SqlLeaseStore(tables.withTables<LeaseTables>(), clock),
    journal: new SqliteJournal(tables),
    /** A change of state without its event. */
    apply: (transition: MonitorTransition, recordedAt: number): Promise<boolean> =>
      tables.write(() => applyTransition(statements, transition, recordedAt)),
  }
}
