import { join } from 'node:path'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { DeliveryIntake } from '../../../ports/webhooks/delivery-intake.ts'
import type { DeliveryLog } from '../../../ports/webhooks/delivery-log.ts'
import type { DeliveryQueue } from '../../../ports/webhooks/delivery-queue.ts'
import { emptyLog, openDatabase, sizeOf } from '../open-database.ts'
import type { OnReadError } from '../sqlite-error.ts'
import { DeliveryTables } from './delivery-tables.ts'
import { DELIVERY_MIGRATIONS } from '../schema/schemas.ts'
import { SqliteDeliveryIntake } from './sqlite-delivery-intake.ts'
import { SqliteDeliveryLog } from './sqlite-delivery-log.ts'
import { SqliteDeliveryQueue } from './sqlite-delivery-queue.ts'
import { type SyncFile, WriteAheadFlush } from './write-ahead-flush.ts'

/** Short, since waiting for a lock blocks the thread of the commits; deliveries are retried. */
const BUSY_TIMEOUT_MS = 100
/** "Spod" in ASCII. */
const APPLICATION_ID = 0x53706f64

export interface DeliveryStore {
  readonly queue: DeliveryQueue
  readonly intake: DeliveryIntake
  readonly log: DeliveryLog
  /** Bytes of the database file, without its write-ahead log. */
  sizeBytes(): number
  /** Empties the write-ahead log; false if that is not possible now. */
  emptyLog(): boolean
  /** MUST be the last call. */
  close(): void
}

export interface OpenDeliveryStoreOptions {
  readonly dataDir: string
  readonly clock: Clock
  /** Seals what attempts hold of the addresses of receivers. */
  readonly box: SecretBox
  /** Called with the cause of a failed read; the caller gets a DomainError. */
  readonly onReadError?: OnReadError
  /** For tests: flushes a file. */
  readonly syncFile?: SyncFile
}

/**
 * Opens `<dataDir>/deliveries.db`, creating it if necessary; its content is durable when this returns. One process at a
 * time, since leases and due times are in memory. Apart from the control store, so that commits and the journal never
 * wait for deliveries. Bodies and the position are flushed before anything is sent, results of attempts later.
 *
 * @throws OperatorError as the control store does
 */
export function openDeliveryStore(options: OpenDeliveryStoreOptions): DeliveryStore {
  const { dataDir, clock, box, onReadError, syncFile } = options
  const path = join(dataDir, 'deliveries.db')
  const description = { path, applicationId: APPLICATION_ID, migrations: DELIVERY_MIGRATIONS }
  return openDatabase(
    { ...description, durability: 'lazy', shrinks: true, busyTimeoutMs: BUSY_TIMEOUT_MS },
    clock,
    (database) => {
      const flush = new WriteAheadFlush(database, path, syncFile)
      const tables = new DeliveryTables(database, box, flush, onReadError ?? (() => undefined))
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
