import { join } from 'node:path'
import type { ClusterScheduleStore } from '../../../ports/clusters/cluster-schedule.ts'
import type { ClusterStore } from '../../../ports/clusters/cluster-store.ts'
import type { DiscoveryJobStore } from '../../../ports/clusters/discovery-job-store.ts'
import type { DiscoveryMemory } from '../../../ports/clusters/discovery-memory.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import { type DatabaseDescription, emptyLog, openDatabase, sizeOf } from '../open-database.ts'
import type { OnReadError } from '../sqlite-error.ts'
import { CLUSTER_MIGRATIONS } from '../migrations/clusters/all-migrations.ts'
import { PatientWrites } from './patient-writes.ts'
import { SqliteClusterSchedules } from './sqlite-cluster-schedules.ts'
import { SqliteClusterStore } from './sqlite-cluster-store.ts'
import { SqliteDiscoveryJobs } from './sqlite-discovery-jobs.ts'
import { SqliteDiscoveryMemory } from './sqlite-discovery-memory.ts'

/** "Spoc" in ASCII. */
const APPLICATION_ID = 0x53706f63

export interface OpenClusterStore {
  readonly jobs: DiscoveryJobStore
  readonly clusters: ClusterStore
  readonly schedules: ClusterScheduleStore
  /** Bytes of the database file, without its write-ahead log. */
  sizeBytes(): number
  /** Empties the write-ahead log; false when that cannot be done now. */
  emptyLog(): boolean
  /** The last thing done with it. */
  close(): void
}

export interface OpenClusterStoreOptions {
  readonly dataDir: string
  readonly clock: Clock
  readonly pause: (ms: number) => Promise<void>
  /** Told why something could not be read; the caller gets a DomainError. */
  readonly onReadError?: OnReadError
}

/**
 * Opens `<dataDir>/clusters.db` for the main thread, made if it is not there. A file of its own beside the control store: a worker thread writes it too, in transactions that take
 * longer than any commit may wait. Throws OperatorError as the control store does.
 */
export function openClusterStore({ dataDir, clock, pause, onReadError }: OpenClusterStoreOptions): OpenClusterStore {
  return openDatabase({ ...describe(dataDir), durability: 'full' }, clock, (database) => {
    const writes = new PatientWrites(database, pause)
    const onError = onReadError ?? (() => undefined)
    return {
      jobs: new SqliteDiscoveryJobs(database, writes, onError),
      clusters: new SqliteClusterStore(database, writes, onError),
      schedules: new SqliteClusterSchedules(database, writes, onError),
      sizeBytes: () => sizeOf(database),
      emptyLog: () => emptyLog(database),
      close: () => database.close(),
    }
  })
}

/** The same file for the worker. */
export function openDiscoveryMemory(dataDir: string, clock: Clock): DiscoveryMemory & { close(): void } {
  return openDatabase({ ...describe(dataDir), durability: 'lazy' }, clock, (database) =>
    Object.assign(new SqliteDiscoveryMemory(database), { close: () => database.close() }),
  )
}

function describe(dataDir: string): Omit<DatabaseDescription, 'durability'> {
  const path = join(dataDir, 'clusters.db')
  return { path, applicationId: APPLICATION_ID, migrations: CLUSTER_MIGRATIONS, shrinks: true }
}
