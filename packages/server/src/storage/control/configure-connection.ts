import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite'

/** How long a write waits for another process's: its transactions take milliseconds, so this is never reached in health. */
const BUSY_TIMEOUT_MS = 5000
/** The write-ahead log is cut back to this after a burst made it longer. */
const WAL_KEPT_BYTES = 64 * 1024 * 1024
/** Pages held in memory: enough for the inner pages of some hundred million step keys. */
const CACHE_KIB = 16 * 1024

export const CONNECTION_OPTIONS: DatabaseSyncOptions = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true }

/** What the promises of the control store rest on: readers and a writer do not wait for each other, and a commit is on the disk when it returns. */
export function configureConnection(database: DatabaseSync): void {
  const mode = database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
  if (mode !== 'wal')
    throw new Error(`the file system does not support SQLite's write-ahead log (it stays in mode ${mode})`)
  // FULL fsyncs every commit; NORMAL would only fsync now and then, and lose commits on power loss.
  database.exec('PRAGMA synchronous = FULL')
  database.exec(`PRAGMA journal_size_limit = ${WAL_KEPT_BYTES}`)
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
}
