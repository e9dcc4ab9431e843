import { DomainError } from '../../lib/domain-error.ts'
import type { DiscoveryProgress } from '../../ports/clusters/discovery-job.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { FromWorker, ToWorker, WorkerOperation, WorkerOperations } from './messages.ts'
import type { StartThread, WorkerThread } from './worker-thread.ts'

export interface ClusterWorkerDependencies {
  readonly startThread: StartThread
  readonly timers: Pick<Timers, 'after'>
  readonly onError: (error: unknown, message: string) => void
}

/** The thread failed at a request; the message may be shown to the client of a job. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure'
}

/** The service stops: the next start repeats the request. */
export class WorkerStopped extends Error {
  override readonly name = 'WorkerStopped'
}

interface Asked {
  readonly message: ToWorker
  readonly onProgress: (progress: DiscoveryProgress) => void
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

/** An idle thread is stopped, because it holds tens of megabytes. */
const IDLE_MS = 90_000

/**
 * The thread for discoveries of one lane. It gets one request at a time, in order. The first request starts it. If it
 * dies, that request fails and the next one starts it again.
 */
export class ClusterWorker {
  readonly #dependencies: ClusterWorkerDependencies
  readonly #waiting: Asked[] = []
  #current: Asked | null = null
  #thread: WorkerThread | null = null
  #endIdle: () => void = () => undefined
  #stopped = false

  constructor(dependencies: ClusterWorkerDependencies) {
    this.#dependencies = dependencies
  }

  /** Rejects with WorkerFailure, WorkerStopped, or DomainError `storage_unavailable`. */
  ask<O extends WorkerOperation>(
    operation: O,
    request: WorkerOperations[O]['request'],
    onProgress: (progress: DiscoveryProgress) => void = () => undefined,
  ): Promise<WorkerOperations[O]['answer']> {
    if (this.#stopped) return Promise.reject(new WorkerStopped('the service is stopping'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message: { operation, request } as ToWorker, onProgress, resolve, reject })
      this.#next()
    })
  }

  /** Stops the thread at once. The store rolls back unfinished writes. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#endIdle()
    const asked = [...(this.#current === null ? [] : [this.#current]), ...this.#waiting]
    this.#current = null
    this.#waiting.length = 0
    for (const { reject } of asked) reject(new WorkerStopped('the service is stopping'))
    await this.#letGo()
  }

  #next(): void {
    if (this.#current !== null) return
    this.#endIdle()
    const asked = this.#waiting.shift()
    if (asked === undefined) {
      this.#endIdle = this.#dependencies.timers.after(IDLE_MS, () => void this.#letGo())
      return
    }
    this.#current = asked
    this.#thread ??= this.#start()
    this.#thread.post(asked.message)
  }

  #start(): WorkerThread {
    const thread: WorkerThread = this.#dependencies.startThread({
      onMessage: (message) => {
        if (this.#thread === thread) this.#take(message)
      },
      onEnd: (error) => {
        if (this.#thread === thread) this.#lose(error)
      },
    })
    return thread
  }

  #take(message: FromWorker): void {
    const asked = this.#current
    if (asked === null) return
    if (message.kind === 'progress') {
      asked.onProgress(message.progress)
      return
    }
    if (message.kind === 'notice') {
      this.#dependencies.onError(message.detail, message.message)
      return
    }
    this.#current = null
    if (message.kind === 'answer') asked.resolve(message.answer as never)
    else if (message.kind === 'refused') asked.reject(new WorkerFailure(message.detail))
    else if (message.kind === 'away') asked.reject(new DomainError('storage_unavailable', message.detail))
    else {
      this.#dependencies.onError(message.stack ?? message.detail, 'the worker of discoveries met an error')
      asked.reject(new WorkerFailure(message.detail))
    }
    this.#next()
  }

  #lose(error: Error | null): void {
    const asked = this.#current
    this.#thread = null
    this.#current = null
    const reason = error === null ? 'it ended by itself' : error.message
    this.#dependencies.onError(error, 'the worker of discoveries died')
    asked?.reject(new WorkerFailure(`The thread that computes clusters died: ${reason}`))
    this.#next()
  }

  async #letGo(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.terminate()
  }
}
