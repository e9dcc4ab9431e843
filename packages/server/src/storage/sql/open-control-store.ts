import type { DatabaseSync } from 'node:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Journal } from '../../ports/journal/journal.ts'
import type { EmbeddedJournal } from '../embedded/embedded-journal.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { DeliveryMark } from '../../ports/webhooks/delivery-mark.ts'
import { CONTROL_MIGRATIONS } from './schema/schemas.ts'
import { type DatabaseFile, fileOf, openDatabase } from './open-database.ts'
import type { OnReadError } from './sqlite-error.ts'
import { SqlDeliveryMark } from './webhooks/sql-delivery-mark.ts'
import type { WebhookTables } from './webhooks/webhook-tables.ts'
import { SqliteJournal } from './journal/sqlite-journal.ts'
import { type SqlStores, sqlStoresOn } from './sql-stores.ts'
import { SqliteDatabase } from './kit/sqlite-database.ts'

/** The control store's records about the other files of its data directory. */
interface StoreIdentity {
  /** Created with the control store, and also written into the record of the engine's parts. */
  readonly storeId: string
  /** Whether that record has been written. */
  readonly partsRecorded: boolean
  /** Durable when it returns. */
  markPartsRecorded(): void
  /**
   * Moves everything written so far from the write-ahead log into the database, durably. A reader in another process
   * may delay the newest part of it.
   */
  checkpoint(): void
}

/** "Spor" in ASCII. */
const APPLICATION_ID = 0x53706f72

export interface ControlStore extends SqlStores, DatabaseFile {
  readonly journal: Journal & EmbeddedJournal
  readonly identity: StoreIdentity
  /** Records that deliveries.db exists. */
  readonly deliveryMark: DeliveryMark
}

export interface OpenControlStoreOptions {
  readonly dataDir: string
  readonly clock: Clock
  /**
   * Whether a missing folder or database is created. The command line passes false: a mistyped folder must not become
   * an empty store.
   */
  readonly create: boolean
  /** Called with the cause of a failed read; the caller gets a DomainError. */
  readonly onReadError?: OnReadError
}

/**
 * Opens `<dataDir>/control.db` and migrates it to the latest schema. Several processes may have it open at once: the
 * service and its command line. Throws OperatorError if the folder is missing or not writable, or if the file belongs
 * to another program, is damaged or was written by a newer Spoor.
 */
export function openControlStore({ dataDir, clock, create, onReadError }: OpenControlStoreOptions): ControlStore {
  const path = join(dataDir, 'control.db')
  if (!create && !existsSync(path)) {
    throw new OperatorError(
      `There is no Spoor data in ${dataDir}. Start the service there once, or name its folder with --data-dir.`,
    )
  }
  const description = { path, applicationId: APPLICATION_ID, migrations: CONTROL_MIGRATIONS }
  return openDatabase({ ...description, durability: 'full', shrinks: false }, clock, (database) =>
    storesOn(database, clock, onReadError),
  )
}

function storesOn(database: DatabaseSync, clock: Clock, onReadError?: OnReadError): ControlStore {
  const tables = new SqliteDatabase(database, onReadError)
  return {
    ...sqlStoresOn({ counted: tables, uncounted: tables, forLeases: tables }, clock),
    journal: new SqliteJournal(tables),
    identity: openStoreIdentity(database),
    deliveryMark: new SqlDeliveryMark(tables.withTables<WebhookTables>()),
    ...fileOf(database),
  }
}

function openStoreIdentity(database: DatabaseSync): StoreIdentity {
  const read = database.prepare('SELECT store_id, parts_recorded FROM store_identity')
  return {
    get storeId() {
      return read.get()?.['store_id'] as string
    },
    get partsRecorded() {
      return read.get()?.['parts_recorded'] === 1
    },
    markPartsRecorded: () => database.exec('UPDATE store_identity SET parts_recorded = 1'),
    checkpoint: () => database.exec('PRAGMA wal_checkpoint(PASSIVE)'),
  }
}
