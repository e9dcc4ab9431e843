import type { DatabaseSync } from 'node:sqlite'
import { runAtomically } from './run-atomically.ts'
import { isStoreFailure } from './sqlite-error.ts'

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes of many requests in one transaction, and so one flush to disk: what comes while one is being flushed goes into
 * the next. Each is all or nothing by itself as far as its caller can see: when one of them throws, the transaction is
 * undone and each runs once more in its own. A disk or a lock that fails one fails all: each would wait for it again,
 * and the process with it.
 */
export class SharedWrites {
  readonly #database: DatabaseSync
  #waiting: Waiting[] = []

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Resolves with what `work` returned once it is durable. `work` may run twice and MUST NOT wait. */
  run<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => this.#flush())
    })
  }

  #flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    try {
      const values = runAtomically(this.#database, () => waiting.map(({ work }) => work()))
      waiting.forEach(({ resolve }, index) => resolve(values[index] as never))
    } catch (error) {
      if (waiting.length === 1 || isStoreFailure(error)) rejectAll(waiting, error)
      else this.#runEach(waiting)
    }
  }

  #runEach(waiting: readonly Waiting[]): void {
    for (const [index, { work, resolve, reject }] of waiting.entries()) {
      try {
        resolve(runAtomically(this.#database, work) as never)
      } catch (error) {
        if (isStoreFailure(error)) return rejectAll(waiting.slice(index), error)
        reject(error)
      }
    }
  }
}

function rejectAll(waiting: readonly Waiting[], error: unknown): void {
  for (const { reject } of waiting) reject(error)
}
