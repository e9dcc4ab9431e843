import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../lib/operator-error.ts'
import { explainOpenFailure } from './sql/explain-open-failure.ts'
import { SQLITE, sqliteCode } from './sql/sqlite-error.ts'

export interface DataLock {
  close(): void
}

/**
 * Locks a data directory for this process, and creates it if it does not exist. Holds until `close` or until the
 * process ends, in whatever way. Call it before anything in the directory is opened or migrated. Throws OperatorError
 * when another process holds it.
 */
export function lockDataDirectory(dataDir: string): DataLock {
  const path = join(dataDir, 'service.lock')
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw explainOpenFailure(error, path)
  }
  const lock = lockFile(path)
  if (lock !== null) return lock
  throw new OperatorError(`Another Spoor is running on ${dataDir}. Stop it, or name another folder with --data-dir.`)
}

/** Null when another process holds it. Throws OperatorError when the file cannot be made. */
export function lockFile(path: string): DataLock | null {
  let database: DatabaseSync | null = null
  try {
    // SQLite's locks are released by the system when the process dies, on every platform.
    database = new DatabaseSync(path, { timeout: 0 })
    database.exec('PRAGMA journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
    const held = database
    return { close: () => held.close() }
  } catch (error) {
    database?.close()
    if (sqliteCode(error) === SQLITE.busy) return null
    throw explainOpenFailure(error, path)
  }
}
