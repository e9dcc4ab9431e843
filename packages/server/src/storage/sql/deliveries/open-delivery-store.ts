import { join } from 'node:path'
import type { Clock } from '../../../lib/time/clock.ts'
import type { DeliveryIntake } from '../../../ports/webhooks/delivery-intake.ts'
import type { DeliveryLog } from '../../../ports/webhooks/delivery-log.ts'
import type { DeliveryQueue } from '../../../ports/webhooks/delivery-queue.ts'
import { emptyLog, openDatabase, sizeOf } from '../open-database.ts'
import type { OnReadError } from '../sqlite-error.ts'
import { DeliveryTables } from './delivery-tables.ts'
import { DELIVERY_MIGRATIONS } from '../migrations/deliveries/delivery-migrations.ts'
import { SqliteDeliveryIntake } from './sqlite-delivery-intake.ts'
import { SqliteDeliveryLog } from './sqlite-delivery-log.ts'
import { SqliteDeliveryQueue } from './sqlite-delivery-queue.ts'
import { type SyncFile, WriteAheadFlush } from './write-ahead-flush.ts'

/** Somebody else's lock makes deliveries wait, which are tried again; the thread that it stops is also that of the commits. */
const BUSY_TIMEOUT_MS = 100
/** "Spod" in ASCII. */
const APPLICATION_ID = 0x53706f64

export interface DeliveryStore {
  readonly queue: DeliveryQueue
  readonly intake: DeliveryIntake
  readonly log: DeliveryLog
  /** Bytes of the database file, without its write-ahead log. */
  sizeBytes(): number
  /** Empties the write-ahead log; false when that cannot be done now. */
  emptyLog(): boolean
  /** The last thing done with it. */
  close(): void
}

export interface OpenDeliveryStoreOptions {
  readonly dataDir: string
  readonly clock: Clock
  /** Told why something could not be read; the caller gets a DomainError. */
  readonly onReadError?: OnReadError
  /** For tests: how a file is flushed. */
  readonly syncFile?: SyncFile
}

/**
 * Opens `<dataDir>/deliveries.db`, made if it is not there; what it holds is durable when this returns. One process at a time: leases and what is next are in its memory. A file of its own beside the
 * control store, so that neither commits nor the journal ever wait for deliveries. Bodies and the position are flushed before anything is sent, results of attempts later: see the ports.
 * Throws OperatorError as the control store does.
 */
export function openDeliveryStore({ dataDir, clock, onReadError, syncFile }: OpenDeliveryStoreOptions): DeliveryStore {
  const path = join(dataDir, 'deliveries.db')
  const description = { path, applicationId: APPLICATION_ID, migrations: DELIVERY_MIGRATIONS }
  return openDatabase(
    { ...description, durability: 'lazy', shrinks: true, busyTimeoutMs: BUSY_TIMEOUT_MS },
    clock,
    (database) => {
      const flush = new WriteAheadFlush(database, path, syncFile)
      const tables = new DeliveryTables(database, flush, onReadError ?? (() => undefined))
      return {
        queue: new SqliteDeliveryQueue(tables),
        intake: new SqliteDeliveryIntake(tables),
        log: new SqliteDeliveryLog(tables),
        sizeBytes: () => sizeOf(database),
        emptyLog: () => emptyLog(database),
        close: () => {
          flush.close()
          database.close()
        },
      }
    },
  )
}
