import type { DatabaseSync } from 'node:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Journal } from '../../ports/journal/journal.ts'
import type { EmbeddedJournal } from '../embedded/embedded-journal.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { MediaStore } from '../../ports/media/media-store.ts'
import type { MetricStore } from '../../ports/metrics/metric-store.ts'
import type { PriceStore } from '../../ports/prices/price-store.ts'
import type { LeaseStore } from '../../ports/leases/lease-store.ts'
import type { MonitorStore } from '../../ports/monitors/monitor-store.ts'
import type { Dashboard } from '../../ports/views/view.ts'
import type { ViewStore } from '../../ports/views/view-store.ts'
import type { AuditStore } from '../../ports/audit/audit-store.ts'
import type { DeletionJobStore } from '../../ports/traces/deletion-jobs.ts'
import type { KeyStore } from '../../ports/access/key-store.ts'
import type { ProjectStore } from '../../ports/access/project-store.ts'
import type { SessionStore } from '../../ports/access/session-store.ts'
import type { DeliveryMark } from '../../ports/webhooks/delivery-mark.ts'
import type { WebhookDirectory } from '../../ports/webhooks/webhook-directory.ts'
import type { WebhookStore } from '../../ports/webhooks/webhook-store.ts'
import { CONTROL_MIGRATIONS } from './schema/schemas.ts'
import { emptyLog, openDatabase, sizeOf } from './open-database.ts'
import { openSecretBox, type SecretKeyring } from './webhooks/open-secret-box.ts'
import type { OnReadError } from './sqlite-error.ts'
import { SqlDeliveryMark } from './webhooks/sql-delivery-mark.ts'
import { SqlWebhookStore } from './webhooks/sql-webhook-store.ts'
import type { WebhookTables } from './webhooks/webhook-tables.ts'
import { SqliteJournal } from './journal/sqlite-journal.ts'
import type { AccessTables } from './access/access-tables.ts'
import { SqlKeyStore } from './access/sql-key-store.ts'
import { SqlProjectStore } from './access/sql-project-store.ts'
import { SqlSessionStore } from './access/sql-session-store.ts'
import type { AuditTables } from './audit/audit-tables.ts'
import { SqlAuditStore } from './audit/sql-audit-store.ts'
import type { DeletionTables } from './deletions/deletion-tables.ts'
import { SqlDeletionJobs } from './deletions/sql-deletion-jobs.ts'
import type { MediaTables } from './media/media-tables.ts'
import { SqlMediaStore } from './media/sql-media-store.ts'
import { SqliteDatabase } from './kit/sqlite-database.ts'
import type { MetricTables } from './metrics/metric-tables.ts'
import { SqlMetricStore } from './metrics/sql-metric-store.ts'
import type { PriceTables } from './prices/price-tables.ts'
import { SqlPriceStore } from './prices/sql-price-store.ts'
import type { LeaseTables } from './leases/lease-tables.ts'
import { SqlLeaseStore } from './leases/sql-lease-store.ts'
import type { MonitorTables } from './monitors/monitor-tables.ts'
import { SqlMonitorStore } from './monitors/sql-monitor-store.ts'
import { SqlViewStore } from './views/sql-view-store.ts'
import type { ViewTables } from './views/view-tables.ts'

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

export interface ControlStore {
  readonly projects: ProjectStore
  readonly keys: KeyStore
  readonly sessions: SessionStore
  readonly journal: Journal & EmbeddedJournal
  readonly media: MediaStore
  readonly metrics: MetricStore
  readonly prices: PriceStore
  readonly monitors: MonitorStore
  readonly views: ViewStore
  readonly dashboards: ViewStore<Dashboard>
  readonly leases: LeaseStore
  readonly audit: AuditStore
  readonly deletionJobs: DeletionJobStore
  readonly identity: StoreIdentity
  /** Records that deliveries.db exists. */
  readonly deliveryMark: DeliveryMark
  /** Rejects with OperatorError if the key does not open what is stored. */
  openSecretBox(keyring: SecretKeyring): Promise<SecretBox>
  /** Opened apart, because webhooks need a key, which the command line does not have. Call it once. */
  openWebhooks(box: SecretBox): WebhookStore & WebhookDirectory
  /** Bytes of the database file, without its write-ahead log. */
  sizeBytes(): number
  /** Empties the write-ahead log; false if that is not possible now. */
  emptyLog(): boolean
  /** MUST be the last call. */
  close(): void
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
  const access = tables.withTables<AccessTables>()
  const webhooks = tables.withTables<WebhookTables>()
  return {
    projects: new SqlProjectStore(access),
    keys: new SqlKeyStore(access),
    sessions: new SqlSessionStore(access),
    journal: new SqliteJournal(tables),
    media: new SqlMediaStore(tables.withTables<MediaTables>(), clock),
    metrics: new SqlMetricStore(tables.withTables<MetricTables>()),
    prices: new SqlPriceStore(tables.withTables<PriceTables>()),
    monitors: new SqlMonitorStore(tables.withTables<MonitorTables>()),
    views: new SqlViewStore(tables.withTables<ViewTables>()),
    dashboards: new SqlViewStore(tables.withTables<ViewTables>(), 'dashboard'),
    leases: new SqlLeaseStore(tables.withTables<LeaseTables>(), clock),
    audit: new SqlAuditStore(tables.withTables<AuditTables & AccessTables>()),
    deletionJobs: new SqlDeletionJobs(tables.withTables<DeletionTables>()),
    identity: openStoreIdentity(database),
    deliveryMark: new SqlDeliveryMark(webhooks),
    openSecretBox: (keyring) => openSecretBox(webhooks, keyring),
    openWebhooks: (box) => new SqlWebhookStore(webhooks, box),
    sizeBytes: () => sizeOf(database),
    emptyLog: () => emptyLog(database),
    close: () => database.close(),
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
