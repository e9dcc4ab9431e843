import type { DiscoveryMemory } from '../../../ports/clusters/discovery-memory.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { ClusterTables } from '../clusters/cluster-tables.ts'
import { SqlClusterSchedules } from '../clusters/sql-cluster-schedules.ts'
import { SqlClusterStore } from '../clusters/sql-cluster-store.ts'
import { SqlDiscoveryJobs } from '../clusters/sql-discovery-jobs.ts'
import { SqlDiscoveryMemory } from '../clusters/sql-discovery-memory.ts'
import type { PostgresqlDatabase } from '../kit/postgresql-database.ts'
import { type SqlStores, sqlStoresOn } from '../sql-stores.ts'
import type { OpenClusterStore } from '../clusters/open-cluster-store.ts'

interface PostgresqlStores extends SqlStores, Pick<OpenClusterStore, 'jobs' | 'schedules' | 'clusters'> {
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
