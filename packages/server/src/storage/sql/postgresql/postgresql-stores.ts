import type { AuditStore } from '../../../ports/audit/audit-store.ts'
import type { DeletionJobStore } from '../../../ports/traces/deletion-jobs.ts'
import type { KeyStore } from '../../../ports/access/key-store.ts'
import type { ProjectStore } from '../../../ports/access/project-store.ts'
import type { SessionStore } from '../../../ports/access/session-store.ts'
import type { ClusterScheduleStore } from '../../../ports/clusters/cluster-schedule.ts'
import type { ClusterStore } from '../../../ports/clusters/cluster-store.ts'
import type { DiscoveryJobStore } from '../../../ports/clusters/discovery-job-store.ts'
import type { DiscoveryMemory } from '../../../ports/clusters/discovery-memory.ts'
import type { LeaseStore } from '../../../ports/leases/lease-store.ts'
import type { MediaStore } from '../../../ports/media/media-store.ts'
import type { MetricStore } from '../../../ports/metrics/metric-store.ts'
import type { MonitorStore } from '../../../ports/monitors/monitor-store.ts'
import type { PriceStore } from '../../../ports/prices/price-store.ts'
import type { Dashboard } from '../../../ports/views/view.ts'
import type { ViewStore } from '../../../ports/views/view-store.ts'
import type { WebhookDirectory } from '../../../ports/webhooks/webhook-directory.ts'
import type { WebhookStore } from '../../../ports/webhooks/webhook-store.ts'
import type { SecretBox } from '../../../lib/secret-box.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { AccessTables } from '../access/access-tables.ts'
import { SqlKeyStore } from '../access/sql-key-store.ts'
import { SqlProjectStore } from '../access/sql-project-store.ts'
import { SqlSessionStore } from '../access/sql-session-store.ts'
import type { AuditTables } from '../audit/audit-tables.ts'
import { SqlAuditStore } from '../audit/sql-audit-store.ts'
import type { DeletionTables } from '../deletions/deletion-tables.ts'
import { SqlDeletionJobs } from '../deletions/sql-deletion-jobs.ts'
import type { ClusterTables } from '../clusters/cluster-tables.ts'
import { SqlClusterSchedules } from '../clusters/sql-cluster-schedules.ts'
import { SqlClusterStore } from '../clusters/sql-cluster-store.ts'
import { SqlDiscoveryJobs } from '../clusters/sql-discovery-jobs.ts'
import { SqlDiscoveryMemory } from '../clusters/sql-discovery-memory.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import type { LeaseTables } from '../leases/lease-tables.ts'
import { SqlLeaseStore } from '../leases/sql-lease-store.ts'
import type { MediaTables } from '../media/media-tables.ts'
import { SqlMediaStore } from '../media/sql-media-store.ts'
import type { MetricTables } from '../metrics/metric-tables.ts'
import { SqlMetricStore } from '../metrics/sql-metric-store.ts'
import type { MonitorTables } from '../monitors/monitor-tables.ts'
import { SqlMonitorStore } from '../monitors/sql-monitor-store.ts'
import type { PriceTables } from '../prices/price-tables.ts'
import { SqlPriceStore } from '../prices/sql-price-store.ts'
import { SqlViewStore } from '../views/sql-view-store.ts'
import type { ViewTables } from '../views/view-tables.ts'
import { openSecretBox, type SecretKeyring } from '../webhooks/open-secret-box.ts'
import { SqlWebhookStore } from '../webhooks/sql-webhook-store.ts'
import type { WebhookTables } from '../webhooks/webhook-tables.ts'

export interface PostgresqlStores {
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
  readonly jobs: DiscoveryJobStore
  readonly schedules: ClusterScheduleStore
  readonly clusters: ClusterStore
  readonly memory: DiscoveryMemory
  /** These two as in ControlStore. */
  openSecretBox(keyring: SecretKeyring): Promise<SecretBox>
  openWebhooks(box: SecretBox): WebhookStore & WebhookDirectory
}

/** Counts the writes of what nodes cache: definitions. Everything else changes often, and is read for each use. */
export function postgresqlStoresOn(counted: PostgresqlDatabase<unknown>, clock: Clock): PostgresqlStores {
  const uncounted = counted.uncounted()
  const clusters = uncounted.withTables<ClusterTables>()
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
    leases: new SqlLeaseStore(counted.readCommitted().withTables<LeaseTables>(), clock),
    audit: new SqlAuditStore(uncounted.withTables<AuditTables & AccessTables>()),
    deletionJobs: new SqlDeletionJobs(uncounted.withTables<DeletionTables>()),
    jobs: new SqlDiscoveryJobs(clusters, clock),
    schedules: new SqlClusterSchedules(clusters),
    clusters: new SqlClusterStore(clusters),
    memory: new SqlDiscoveryMemory({ lazy: clusters, durable: clusters }),
    openSecretBox: (keyring) => openSecretBox(webhooks, keyring),
    openWebhooks: (box) => new SqlWebhookStore(webhooks, box),
  }
}
