import type { DatabaseSync } from 'node:sqlite'
import { runAtomically } from './run-atomically.ts'
import { isStoreFailure } from './sqlite-error.ts'

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * Runs the writes of many requests in one transaction, with one flush to disk. Writes that arrive during a flush go
 * into the next transaction. For its caller, each write is atomic: if one of them throws, the transaction is rolled
 * back and each runs again in its own. A failing disk or lock rejects all of them, because each would block the process
 * on it again.
 */
export class SharedWrites {
  readonly #database: DatabaseSync
  #waiting: Waiting[] = []

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** Resolves with the result of `work` once it is durable. `work` may run twice and MUST be synchronous. */
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
