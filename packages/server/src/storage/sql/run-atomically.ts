import type { DatabaseSync } from 'node:sqlite'
import { toDomainError } from './sqlite-error.ts'

/**
 * Runs `work` in one write transaction: all of it is durable when this returns, none of it when this throws. `work`
 * cannot wait, so nothing else in this process ever sees or joins a transaction that is half done. Another process that
 * writes is waited for (busy_timeout).
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

/** A full disk and some I/O errors make SQLite roll back by itself; then there is nothing left to do. */
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
