import type { FromWorker, ToWorker } from './messages.ts'

/** The interface of a thread to its user. */
export interface WorkerThread {
  post(message: ToWorker): void
  /** Resolves when it has ended; `onEnd` is not called. */
  terminate(): Promise<void>
}

export interface ThreadListener {
  onMessage(message: FromWorker): void
  /** The thread ended, for any reason; null without a stated one. */
  onEnd(error: Error | null): void
}

export type StartThread = (listener: ThreadListener) => WorkerThread
