import type { FromWorker, ToWorker } from './messages.ts'

/** A thread, as who asks it sees it. */
export interface WorkerThread {
  post(message: ToWorker): void
  /** Resolves when it has ended; tells nobody of it. */
  terminate(): Promise<void>
}

export interface ThreadListener {
  onMessage(message: FromWorker): void
  /** It is gone, for whatever reason; null when it did not say one. */
  onEnd(error: Error | null): void
}

export type StartThread = (listener: ThreadListener) => WorkerThread
