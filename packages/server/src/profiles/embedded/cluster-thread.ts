import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../lib/time/clock.ts'
import { openDiscoveryMemory } from '../../storage/sql/clusters/open-cluster-store.ts'
import { type DiscoveryEndpoints, serveDiscoveries } from '../start/serve-discoveries.ts'

/**
 * The thread that computes discoveries: a composition root of its own. It MUST NOT load the telemetry engine, which
 * runs on the main thread only.
 */

/** Start data from the main thread. */
export interface ClusterThreadData extends DiscoveryEndpoints {
  readonly dataDir: string
}

if (parentPort === null) throw new Error('this module runs in a thread')
const data = workerData as ClusterThreadData
const clock = systemClock
serveDiscoveries(parentPort, { memory: openDiscoveryMemory(data.dataDir, clock), clock }, data)
