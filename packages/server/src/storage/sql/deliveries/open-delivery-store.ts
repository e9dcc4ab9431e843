import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { DeliveryIntake } from '../../../ports/webhooks/delivery-intake.ts'
import type { DeliveryLog } from '../../../ports/webhooks/delivery-log.ts'
import type { DeliveryQueue } from '../../../ports/webhooks/delivery-queue.ts'
import { run, type Work } from '../kit/sql-database.ts'
import { SqliteDatabase, type SqliteWrites } from '../kit/sqlite-database.ts'
import { type DatabaseFile, fileOf, freePagesOf, openDatabase, returnFreePages } from '../open-database.ts'
import { runAtomically } from '../run-atomically.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'
import { DELIVERY_MIGRATIONS } from '../schema/schemas.ts'
import type { DeliveryStateRow, DeliveryTables } from './delivery-tables.ts'
import { DurableState } from './durable-state.ts'
import { queueStatementsOn } from './queue-statements.ts'
import { intakeStatementsOn, SqlDeliveryIntake } from './sql-delivery-intake.ts'
import { SqlDeliveryLog } from './sql-delivery-log.ts'
import { SqlDeliveryQueue } from './sql-delivery-queue.ts'
import { type SyncFile, WriteAheadFlush } from './write-ahead-flush.ts'
import type { OpenControlStoreOptions } from '../open-control-store.ts'

/** Short, since waiting for a lock blocks the thread of the commits; deliveries are retried. */
const BUSY_TIMEOUT_MS = 100
/** "Spod" in ASCII. */
const APPLICATION_ID = 0x53706f64
/** The one process that has the file open. */
const NODE = 'self'
/** Pages returned to the file system at once: one megabyte. */
const SHRINK_PAGES = 256
/** Pages are returned only if more than one in this many is free: new deliveries reuse the others. */
const FREE_SHARE = 4

export interface DeliveryStore extends DatabaseFile {
  readonly queue: DeliveryQueue
  readonly intake: DeliveryIntake
  readonly log: DeliveryLog
}

export interface OpenDeliveryStoreOptions extends Omit<OpenControlStoreOptions, 'create'> {
  /** Seals what attempts hold of the addresses of receivers. */
  readonly box: SecretBox
  /** For tests: flushes a file. */
  readonly syncFile?: SyncFile
}

/**
 * Opens `<dataDir>/deliveries.db`, creating it if necessary; its content is durable when this returns. One process at a
 * time: leases of an earlier one end here. Apart from the control store, so that commits and the journal never wait for
 * deliveries. Bodies and the position are flushed before anything is sent, leases and results of attempts later.
 *
 * @throws OperatorError as the control store does
 */
export function openDeliveryStore(options: OpenDeliveryStoreOptions): DeliveryStore {
  const { dataDir, clock, box, onReadError = () => undefined, syncFile } = options
  const path = join(dataDir, 'deliveries.db')
  const description = { path, applicationId: APPLICATION_ID, migrations: DELIVERY_MIGRATIONS }
  return openDatabase(
    { ...description, durability: 'lazy', shrinks: true, busyTimeoutMs: BUSY_TIMEOUT_MS },
    clock,
    (connection) => {
      const flush = new WriteAheadFlush(connection, path, syncFile)
      const database = new SqliteDatabase<DeliveryTables>(connection, onReadError, writesAtOnce(connection))
      const durable = new DurableState(takeOver(database), () => flush.flush())
      return {
        queue: new SqlDeliveryQueue(database, { box, node: NODE, mostLeased: null, holdNode: null, durable }),
        intake: new SqlDeliveryIntake(database, { lease: null, durable, checksDeletions: false }),
        log: new SqlDeliveryLog(database, { box, durable, afterPrune: () => shrink(connection, onReadError) }),
        ...fileOf(connection),
        close: () => {
          flush.close()
          connection.close()
        },
      }
    },
  )
}

/** A commit flushes nothing, so writes need not wait for others to share it. */
function writesAtOnce(connection: DatabaseSync): SqliteWrites {
  return {
    async run(work) {
      return runAtomically(connection, work)
    },
  }
}

/** Makes this process the only node, and ends all leases. Returns the state. */
function takeOver(database: SqliteDatabase<DeliveryTables>): DeliveryStateRow {
  const { endLeases, renewNode } = queueStatementsOn(database)
  database.writeNow(function* (): Work<void> {
    yield* run(endLeases({}))
    yield* run(renewNode({ node: NODE, until: Number.MAX_SAFE_INTEGER }))
  })
  const state = database.firstNow(intakeStatementsOn(database).readState({}))
  if (state === undefined) throw new Error('the state of deliveries is missing')
  return state
}

/** Shrinks the file gradually when many pages are free. */
function shrink(connection: DatabaseSync, onReadError: OnReadError): void {
  const { free, pages } = readOrRefuse(() => freePagesOf(connection), onReadError)
  if (free * FREE_SHARE < pages || free < SHRINK_PAGES) return
  runAtomically(connection, () => returnFreePages(connection, SHRINK_PAGES))
}
