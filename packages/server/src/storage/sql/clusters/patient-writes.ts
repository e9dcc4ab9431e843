import type { DatabaseSync } from 'node:sqlite'
import { runAtomically } from '../run-atomically.ts'
import { SQLITE, sqliteCode } from '../sqlite-error.ts'

const TRY_AGAIN_MS = 10
const MOST_TRIES = 1000

/**
 * Writes of a thread that must not block, on a database that another thread writes too. SQLite would wait for the
 * other's transaction inside its call; here the connection gives up at once and retries later. Waiting writes run in
 * order.
 */
export class PatientWrites {
  readonly #database: DatabaseSync
  readonly #pause: (ms: number) => Promise<void>
  #last: Promise<unknown> = Promise.resolve()

  constructor(database: DatabaseSync, pause: (ms: number) => Promise<void>) {
    database.exec('PRAGMA busy_timeout = 0')
    this.#database = database
    this.#pause = pause
  }

  /** Resolves with the result of `work` once its transaction is committed. `work` may run more than once. */
  run<T>(work: () => T): Promise<T> {
    const done = this.#last.then(() => this.#try(work))
    this.#last = done.catch(() => undefined)
    return done
  }

  async #try<T>(work: () => T): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return runAtomically(this.#database, work)
      } catch (error) {
        if (tries === MOST_TRIES || !isBusy(error)) throw error
        await this.#pause(TRY_AGAIN_MS)
      }
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && sqliteCode(error.cause) === SQLITE.busy
}
