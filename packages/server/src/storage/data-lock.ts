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
 * Takes a data directory, made if it is not there, for this process alone, until `close` or the process's end, whatever
 * ends it. Before anything in it is opened or migrated. Throws OperatorError when another process has it.
 */
export function lockDataDirectory(dataDir: string): DataLock {
  const path = join(dataDir, 'service.lock')
  let database: DatabaseSync | null = null
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    // SQLite brings locks that the system lets go of when the process dies, on every platform.
    database = new DatabaseSync(path, { timeout: 0 })
    database.exec('PRAGMA journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
    const held = database
    return { close: () => held.close() }
  } catch (error) {
    database?.close()
    if (sqliteCode(error) !== SQLITE.busy) throw explainOpenFailure(error, path)
    throw new OperatorError(
      `Another Spoor is running on ${dataDir}. Stop it, or name another folder with --data-dir.`,
      { cause: error },
    )
  }
}
