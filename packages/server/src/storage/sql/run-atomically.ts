import type { DatabaseSync } from 'node:sqlite'
import { toDomainError } from './sqlite-error.ts'

/**
 * Runs `work` in one write transaction: all of it is durable when this returns, none of it when this throws. `work` is
 * synchronous, so nothing else in this process sees or joins an unfinished transaction. Waits for a write of another
 * process (busy_timeout).
 */
export function runAtomically<T>(database: DatabaseSync, work: () => T): T {
  try {
    database.exec('BEGIN IMMEDIATE')
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    rollBack(database, error)
    throw toDomainError(error)
  }
}

/** On a full disk and some I/O errors SQLite has already rolled back by itself. */
function rollBack(database: DatabaseSync, error: unknown): void {
  if (!database.isTransaction) return
  try {
    database.exec('ROLLBACK')
  } catch (rollbackError) {
    throw new AggregateError([error, rollbackError], 'a failed transaction could not be rolled back', {
      cause: rollbackError,
    })
  }
}
