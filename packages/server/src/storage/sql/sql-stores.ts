import type { SecretBox } from '../../lib/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { KeyStore } from '../../ports/access/key-store.ts'
import type { ProjectStore } from '../../ports/access/project-store.ts'
import type { SessionStore } from '../../ports/access/session-store.ts'
import type { AuditStore } from '../../ports/audit/audit-store.ts'
import type { LeaseStore } from '../../ports/leases/lease-store.ts'
import type { MediaStore } from '../../ports/media/media-store.ts'
import type { MetricStore } from '../../ports/metrics/metric-store.ts'
import type { MonitorStore } from '../../ports/monitors/monitor-store.ts'
import type { PriceStore } from '../../ports/prices/price-store.ts'
import type { DeletionJobStore } from '../../ports/traces/deletion-jobs.ts'
import type { Dashboard } from '../../ports/views/view.ts'
import type { ViewStore } from '../../ports/views/view-store.ts'
import type { WebhookDirectory } from '../../ports/webhooks/webhook-directory.ts'
import type { WebhookStore } from '../../ports/webhooks/webhook-store.ts'
import type { AccessTables } from './access/access-tables.ts'
import { SqlKeyStore } from './access/sql-key-store.ts'
import { SqlProjectStore } from './access/sql-project-store.ts'
import { SqlSessionStore } from './access/sql-session-store.ts'
import type { AuditTables } from './audit/audit-tables.ts'
import { SqlAuditStore } from './audit/sql-audit-store.ts'
import type { DeletionTables } from './deletions/deletion-tables.ts'
import { SqlDeletionJobs } from './deletions/sql-deletion-jobs.ts'
import type { SqlDatabase } from './kit/sql-database.ts'
import type { LeaseTables } from './leases/lease-tables.ts'
import { SqlLeaseStore } from './leases/sql-lease-store.ts'
import type { MediaTables } from './media/media-tables.ts'
import { SqlMediaStore } from './media/sql-media-store.ts'
import type { MetricTables } from './metrics/metric-tables.ts'
import { SqlMetricStore } from './metrics/sql-metric-store.ts'
import type { MonitorTables } from './monitors/monitor-tables.ts'
import { SqlMonitorStore } from './monitors/sql-monitor-store.ts'
import type { PriceTables } from './prices/price-tables.ts'
import { SqlPriceStore } from './prices/sql-price-store.ts'
import { SqlViewStore } from './views/sql-view-store.ts'
import type { ViewTables } from './views/view-tables.ts'
import { openSecretBox, type SecretKeyring } from './webhooks/open-secret-box.ts'
import { SqlWebhookStore } from './webhooks/sql-webhook-store.ts'
import type { WebhookTables } from './webhooks/webhook-tables.ts'

/** The control stores that SQLite and PostgreSQL have in common. */
export interface SqlStores {
  readonly projects: ProjectStore
  readonly keys: KeyStore
  readonly sessions: SessionStore
  readonly media: MediaStore
  readonly metrics: MetricStore
  readonly prices: PriceStore
  readonly monitors: MonitorStore
  readonly views: ViewStore
  readonly dashboards: ViewStore<Dashboard>
  readonly leases: LeaseStore
  readonly audit: AuditStore
  readonly deletionJobs: DeletionJobStore
  /** Rejects with OperatorError if the key does not open what is stored. */
  openSecretBox(keyring: SecretKeyring): Promise<SecretBox>
  /** Opened apart, because webhooks need a key, which the command line does not have. Call it once. */
  openWebhooks(box: SecretBox): WebhookStore & WebhookDirectory
}

/** One database in three ways; SQLite passes the same each time. */
interface SqlDatabases {
  /** Counts the writes of what nodes cache: definitions. */
  readonly counted: SqlDatabase<unknown>
  /** For everything else, which changes often and is read for each use. */
  readonly uncounted: SqlDatabase<unknown>
  readonly forLeases: SqlDatabase<unknown>
}

export function sqlStoresOn({ counted, uncounted, forLeases }: SqlDatabases, clock: Clock): SqlStores {
  const webhooks = counted.withTables<WebhookTables>()
  return {
    projects: new SqlProjectStore(counted.withTables<AccessTables>()),
    keys: new SqlKeyStore(counted.withTables<AccessTables>()),
    sessions: new SqlSessionStore(uncounted.withTables<AccessTables>()),
    media: new SqlMediaStore(uncounted.withTables<MediaTables>(), clock),
    metrics: new SqlMetricStore(counted.withTables<MetricTables>()),
    prices: new SqlPriceStore(counted.withTables<PriceTables>()),
    monitors: new SqlMonitorStore(uncounted.withTables<MonitorTables>()),
    views: new SqlViewStore(uncounted.withTables<ViewTables>()),
    dashboards: new SqlViewStore(uncounted.withTables<ViewTables>(), 'dashboard'),
    leases: new SqlLeaseStore(forLeases.withTables<LeaseTables>(), clock),
    audit: new SqlAuditStore(uncounted.withTables<AuditTables & AccessTables>()),
    deletionJobs: new SqlDeletionJobs(uncounted.withTables<DeletionTables>()),
    openSecretBox: (keyring) => openSecretBox(webhooks, keyring),
    openWebhooks: (box) => new SqlWebhookStore(webhooks, box),
  }
}
