import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { FromWorker, ReportProgress, ToWorker } from '../clusters/worker/messages.ts'
import { serveWorker } from '../clusters/worker/serve-worker.ts'
import { systemClock } from '../lib/clock.ts'
import { createIdGenerator } from '../lib/ids.ts'
import { systemRandomBytes } from '../lib/random.ts'
import { openDiscoveryMemory } from '../storage/clusters/open-cluster-store.ts'

/*
 * The thread that discoveries are computed on: a composition root of its own. It MUST NOT load the engine of telemetry, which lives on the main thread alone.
 */

/** What the main thread starts it with. */
export interface ClusterThreadData {
  readonly dataDir: string
}

const LOW_PRIORITY = 10

if (parentPort === null) throw new Error('this module runs in a thread')
const port = parentPort
// On Linux a priority is a thread's own; elsewhere it would be that of the whole service.
if (process.platform === 'linux') setPriority(0, LOW_PRIORITY)
const { dataDir } = workerData as ClusterThreadData
const ids = createIdGenerator(systemClock, systemRandomBytes)
const report: ReportProgress = (phase, share) => tell({ kind: 'progress', progress: { phase, share } })
const dependencies = {
  memory: openDiscoveryMemory(dataDir, systemClock),
  newClusterId: () => ids.newId('clu'),
  now: () => systemClock.now(),
  report,
}
port.on('message', (message: ToWorker) => tell(serveWorker(dependencies, message)))

function tell(message: FromWorker): void {
  port.postMessage(message)
}
