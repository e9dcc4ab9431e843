import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { ClusterScheduleStore } from '../../../ports/clusters/cluster-schedule.ts'
import type { ClusterStore } from '../../../ports/clusters/cluster-store.ts'
import type { DiscoveryJobStore } from '../../../ports/clusters/discovery-job-store.ts'
import type { DiscoveryMemory } from '../../../ports/clusters/discovery-memory.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import { SqliteDatabase, type SqliteWrites } from '../kit/sqlite-database.ts'
import { type DatabaseDescription, type DatabaseFile, fileOf, openDatabase } from '../open-database.ts'
import { runAtomically } from '../run-atomically.ts'
import { CLUSTER_MIGRATIONS } from '../schema/schemas.ts'
import type { ClusterTables } from './cluster-tables.ts'
import { PatientWrites } from './patient-writes.ts'
import { SqlClusterSchedules } from './sql-cluster-schedules.ts'
import { SqlClusterStore } from './sql-cluster-store.ts'
import { SqlDiscoveryJobs } from './sql-discovery-jobs.ts'
import { SqlDiscoveryMemory } from './sql-discovery-memory.ts'
import type { OpenControlStoreOptions } from '../open-control-store.ts'

/** "Spoc" in ASCII. */
const APPLICATION_ID = 0x53706f63

export interface OpenClusterStore extends DatabaseFile {
  readonly jobs: DiscoveryJobStore
  readonly clusters: ClusterStore
  readonly schedules: ClusterScheduleStore
}

export interface OpenClusterStoreOptions extends Omit<OpenControlStoreOptions, 'create'> {
  readonly pause: (ms: number) => Promise<void>
}

/**
 * Opens `<dataDir>/clusters.db` for the main thread, creating it if needed. It is a file of its own beside the control
 * store: a worker thread writes it too, in transactions that take longer than a commit may wait, so writes of the main
 * thread give way (PatientWrites). Throws OperatorError as the control store does.
 */
export function openClusterStore({ dataDir, clock, pause, onReadError }: OpenClusterStoreOptions): OpenClusterStore {
  return openDatabase({ ...describe(dataDir), durability: 'full' }, clock, (connection) => {
    const database = new SqliteDatabase<ClusterTables>(connection, onReadError, new PatientWrites(connection, pause))
    return {
      jobs: new SqlDiscoveryJobs(database, clock),
      clusters: new SqlClusterStore(database),
      schedules: new SqlClusterSchedules(database),
      ...fileOf(connection),
    }
  })
}

/** The same file for the worker. */
export function openDiscoveryMemory(dataDir: string, clock: Clock): DiscoveryMemory & { close(): void } {
  return openDatabase({ ...describe(dataDir), durability: 'lazy' }, clock, (connection) => {
    const lazy = new SqliteDatabase<ClusterTables>(connection)
    const durable = new SqliteDatabase<ClusterTables>(connection, undefined, flushedWrites(connection))
    return Object.assign(new SqlDiscoveryMemory({ lazy, durable }), { close: () => connection.close() })
  })
}

/** Uses a connection whose other writes need not be durable. */
function flushedWrites(connection: DatabaseSync): SqliteWrites {
  return {
    async run(work) {
      connection.exec('PRAGMA synchronous = FULL')
      try {
        return runAtomically(connection, work)
      } finally {
        connection.exec('PRAGMA synchronous = NORMAL')
      }
    },
  }
}

function describe(dataDir: string): Omit<DatabaseDescription, 'durability'> {
  const path = join(dataDir, 'clusters.db')
  return { path, applicationId: APPLICATION_ID, migrations: CLUSTER_MIGRATIONS, shrinks: true }
}
