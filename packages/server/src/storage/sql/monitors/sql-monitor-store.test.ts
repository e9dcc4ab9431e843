import { test } from 'node:test'
import { OTHER, OWN, testMonitorStore } from '../../../ports/monitors/monitor-store.conformance.ts'
import { compiledForPostgresql } from '../kit/compiled-for-postgresql.test-support.ts'
import { memoryOnlyMonitors } from './memory-only-monitors.test-support.ts'
import { monitorStatementsOn } from './monitor-statements.ts'
import type { MonitorTables } from './monitor-tables.ts'
import { SqlMonitorStore } from './sql-monitor-store.ts'

testMonitorStore(async () => memoryOnlyMonitors([OWN, OTHER]))

test('statements compile for PostgreSQL', () => {
  compiledForPostgresql<MonitorTables>((database) => new SqlMonitorStore(database))
  compiledForPostgresql<MonitorTables>(monitorStatementsOn)
})
