import { workerData } from 'node:worker_threads'
import { systemClock } from '../../lib/time/clock.ts'
import { openControlStore } from './open-control-store.ts'

/** For tests: a worker that opens the control store of `dataDir` when `workers` of them have started. */
const { dataDir, started, workers } = workerData as {
  readonly dataDir: string
  readonly started: Int32Array
  readonly workers: number
}
Atomics.add(started, 0, 1)
Atomics.notify(started, 0)
for (let count = 0; (count = Atomics.load(started, 0)) < workers;) Atomics.wait(started, 0, count)
openControlStore({ dataDir, clock: systemClock, create: true }).close()
