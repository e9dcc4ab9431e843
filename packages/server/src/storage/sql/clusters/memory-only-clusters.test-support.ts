import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../../lib/time/clock.ts'
import { runMigrations } from '../run-migrations.ts'
import { CLUSTER_MIGRATIONS } from '../migrations/clusters/all-migrations.ts'
import { PatientWrites } from './patient-writes.ts'
import { SqliteClusterSchedules } from './sqlite-cluster-schedules.ts'
import { SqliteClusterStore } from './sqlite-cluster-store.ts'
import { SqliteDiscoveryJobs } from './sqlite-discovery-jobs.ts'

/** For tests: the real stores on a database without a file, which no worker can open. */
export function memoryOnlyClusters() {
  const database = new DatabaseSync(':memory:')
  runMigrations(database, CLUSTER_MIGRATIONS, systemClock)
  const writes = new PatientWrites(database, async () => undefined)
  const fail = (error: unknown): never => {
    throw error
  }
  return {
    jobs: new SqliteDiscoveryJobs(database, writes, fail),
    clusters: new SqliteClusterStore(database, writes, fail),
    schedules: new SqliteClusterSchedules(database, writes, fail),
  }
}
