import { Worker } from 'node:worker_threads'
import type { FromWorker } from './messages.ts'
import type { StartThread } from './worker-thread.ts'

/** Heap limit of a discovery; its vectors lie outside the heap and are bounded by the number of traces. */
const MOST_OBJECTS_MB = 512

/** Starts threads that run the module at `entry`, which gets `data` as `workerData`. */
export function threadsOf(entry: URL, data: unknown): StartThread {
  return (listener) => {
    let error: Error | null = null
    const worker = new Worker(entry, {
      workerData: data,
      name: 'clusters',
      resourceLimits: { maxOldGenerationSizeMb: MOST_OBJECTS_MB },
    })
    worker.on('message', (message: FromWorker) => listener.onMessage(message))
    worker.on('error', (cause: unknown) => (error = cause instanceof Error ? cause : new Error(String(cause))))
    worker.on('exit', () => listener.onEnd(error))
    // A stop of the service need not wait for it.
    worker.unref()
    return {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      post: (message) => worker.postMessage(message),
      async terminate() {
        worker.removeAllListeners('exit')
        await worker.terminate()
      },
    }
  }
}
