import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite'

/**
 * How long a write waits for another process's: its transactions take milliseconds, so this is never reached in health.
 */
const BUSY_TIMEOUT_MS = 5000
/** The write-ahead log is cut back to this after a burst made it longer. */
const WAL_KEPT_BYTES = 64 * 1024 * 1024
/** Pages held in memory: enough for the inner pages of some hundred million step keys. */
const CACHE_KIB = 16 * 1024

export const CONNECTION_OPTIONS: DatabaseSyncOptions = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true }

/**
 * `full`: a commit is on the disk when it returns. `lazy`: a power loss may take back the last ones, whole and from the
 * end; the death of the process takes none.
 */
export type Durability = 'full' | 'lazy'

/**
 * What the promises of the stores rest on: readers and a writer do not wait for each other, and commits are as durable
 * as they are to be.
 */
export function configureConnection(database: DatabaseSync, durability: Durability = 'full'): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
  if (mode !== 'wal')
    throw new Error(`the file system does not support SQLite's write-ahead log (it stays in mode ${mode})`)
  // FULL fsyncs every commit; NORMAL only when the log is moved into the database.
  database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
  database.exec(`PRAGMA journal_size_limit = ${WAL_KEPT_BYTES}`)
  // What is removed is overwritten: it was somebody's to delete.
  database.exec('PRAGMA secure_delete = ON')
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
}
