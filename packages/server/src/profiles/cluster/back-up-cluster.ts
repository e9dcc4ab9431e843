import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { whileLeased } from '../../ports/leases/while-leased.ts'
import { ClickHouseTraceStore } from '../../storage/clickhouse/rows/clickhouse-trace-store.ts'
import { laterRowsOn } from '../../storage/clickhouse/rows/later-rows.ts'
import { sumRows } from '../../storage/clickhouse/rows/row-sums.ts'
import { type BackupRecord, clearRecord, writeRecord } from '../../storage/cluster/backup-record.ts'
import {
  BACKUP_LEASE,
  type ClusterLogTables,
  clusterLogStatementsOn,
} from '../../storage/cluster/cluster-log-statements.ts'
import { type LogHead, toHead } from '../../storage/cluster/log-head.ts'
import { findRecovery } from '../../storage/cluster/recover-stores.ts'
import { openDatabaseClock } from '../../storage/sql/postgresql/database-clock.ts'
import { postgresqlStoresOn } from '../../storage/sql/postgresql/postgresql-stores.ts'
import { newHolder } from './new-holder.ts'
import { withStores } from './open-stores.ts'

/** Every node has read the log again, and keeps deleted traces: an idle node reads it every two seconds. */
const NOTICED_AFTER_MS = 5000

/**
 * Runs `command`, which copies the three stores, while the log keeps every payload. Throws OperatorError when the
 * stores do not fit, the command fails, or the log may not have kept what the copies need. Writes what the copies must
 * have to the file `recordPath`, unless that is null: this reads the keys of all rows twice.
 */
export function backUpCluster(
  config: Config,
  [program = '', ...args]: readonly string[],
  recordPath: string | null,
): Promise<Pick<BackupRecord, 'settledThrough' | 'version'>> {
  return withStores(config, async ({ engine, shards, ...stores }) => {
    const { database } = stores
    const settled = new ClickHouseTraceStore(engine, { shards })
    const recovery = await findRecovery({ ...stores, settled, later: laterRowsOn(shards) })
    if (recovery !== null) throw new OperatorError(recovery.problem)
    const statements = clusterLogStatementsOn(database.withTables<ClusterLogTables>())
    const readHead = async () => toHead((await database.read(statements.readHead({})))[0])
    const clock = await openDatabaseClock({ database, timers: systemTimers, onError: () => undefined })
    try {
      const { leases } = postgresqlStoresOn(database, clock)
      const lease = { name: BACKUP_LEASE, leases, holder: newHolder(), timers: systemTimers }
      return await whileLeased(lease, async (lost) => {
        await database.read(statements.notify({}))
        await new Promise<void>((wake) => systemTimers.after(NOTICED_AFTER_MS, wake))
        const before = await readHead()
        const { settledThrough, timeline } = before
        const sum = async () => (recordPath === null ? {} : sumRows(shards, settledThrough))
        // A path that cannot be written must not be noticed only after the copies.
        if (recordPath !== null) await clearRecord(recordPath)
        const sumsBefore = await sum()
        await run(program, args, lost)
        const sumsAfter = await sum()
        const after = await readHead()
        refuseGap(before, after, lost)
        const record = { timeline, settledThrough, version: after.version, before: sumsBefore, after: sumsAfter }
        if (recordPath !== null) await writeRecord(recordPath, record)
        return record
      })
    } finally {
      await clock.close()
    }
  })
}

async function run(program: string, args: readonly string[], lost: AbortSignal): Promise<void> {
  if (lost.aborted) throw new OperatorError(LOST)
  const child = spawn(program, args, { stdio: 'inherit', signal: lost })
  let ended: unknown[]
  try {
    ended = await once(child, 'exit')
  } catch (error) {
    if (lost.aborted) throw new OperatorError(LOST, { cause: error })
    throw new OperatorError(`${program} cannot be run: ${(error as Error).message}`, { cause: error })
  }
  const [code, signal] = ended
  if (code !== 0) throw new OperatorError(`There is no backup: ${program} ended with ${String(code ?? signal)}.`)
}

const LOST =
  'There is no backup: PostgreSQL was away for too long, so the log may not have kept what it needs. Run it again.'

/** Payloads after the last commit that ClickHouse had at first MUST still be there. */
function refuseGap(before: LogHead, after: LogHead, lost: AbortSignal): void {
  if (lost.aborted || !after.isHeld || after.prunedThrough > before.settledThrough) throw new OperatorError(LOST)
  if (after.timeline !== before.timeline)
    throw new OperatorError('There is no backup: spoor recover has changed the stores meanwhile. Run it again.')
}
