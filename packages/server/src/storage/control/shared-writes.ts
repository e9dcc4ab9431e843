import type { DatabaseSync } from 'node:sqlite'
import { runAtomically } from './run-atomically.ts'

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * Writes of many requests in one transaction, and so one flush to disk: what comes while one is being flushed goes into the next. Each is all or nothing by itself
 * as far as its caller can see: when one of them throws, the transaction is undone and each runs once more in its own.
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
      if (waiting.length === 1) waiting[0]?.reject(error)
      else for (const one of waiting) this.#runAlone(one)
    }
  }

  #runAlone({ work, resolve, reject }: Waiting): void {
    try {
      resolve(runAtomically(this.#database, work) as never)
    } catch (error) {
      reject(error)
    }
  }
}
