import type { ClusterScheduleStore } from '../../../ports/clusters/cluster-schedule.ts'
import type { ClusterStore } from '../../../ports/clusters/cluster-store.ts'
import type { DiscoveryJobStore } from '../../../ports/clusters/discovery-job-store.ts'
import type { DiscoveryMemory } from '../../../ports/clusters/discovery-memory.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { ClusterTables } from '../clusters/cluster-tables.ts'
import { SqlClusterSchedules } from '../clusters/sql-cluster-schedules.ts'
import { SqlClusterStore } from '../clusters/sql-cluster-store.ts'
import { SqlDiscoveryJobs } from '../clusters/sql-discovery-jobs.ts'
import { SqlDiscoveryMemory } from '../clusters/sql-discovery-memory.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { type SqlStores, sqlStoresOn } from '../sql-stores.ts'

interface PostgresqlStores extends SqlStores {
  readonly jobs: DiscoveryJobStore
  readonly schedules: ClusterScheduleStore
  readonly clusters: ClusterStore
  readonly memory: DiscoveryMemory
}

export function postgresqlStoresOn(counted: PostgresqlDatabase<unknown>, clock: Clock): PostgresqlStores {
  const uncounted = counted.uncounted()
  const clusters = uncounted.withTables<ClusterTables>()
  return {
    ...sqlStoresOn({ counted, uncounted, forLeases: counted.readCommitted() }, clock),
    jobs: new SqlDiscoveryJobs(clusters, clock),
    schedules: new SqlClusterSchedules(clusters),
    clusters: new SqlClusterStore(clusters),
    memory: new SqlDiscoveryMemory({ lazy: clusters, durable: clusters }),
  }
}
