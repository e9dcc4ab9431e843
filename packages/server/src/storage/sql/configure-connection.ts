import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite'
import { SQLITE, sqliteCode } from './sqlite-error.ts'

/** How long a write waits for that of another process. Transactions take milliseconds, so only a fault reaches this. */
const BUSY_TIMEOUT_MS = 5000
/** The write-ahead log is truncated to this size after a burst. */
const WAL_KEPT_BYTES = 64 * 1024 * 1024
/** Pages held in memory: enough for the inner pages of some hundred million step keys. */
const CACHE_KIB = 16 * 1024

export const CONNECTION_OPTIONS: DatabaseSyncOptions = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true }

/**
 * `full`: a commit is on the disk when it returns. `lazy`: a power loss may undo the last commits, each of them whole;
 * a crash of the process undoes none.
 */
export type Durability = 'full' | 'lazy'

/** Settings for the guarantees of the stores: readers and a writer do not block each other; commits are durable. */
export function configureConnection(database: DatabaseSync, durability: Durability = 'full'): void {
  const mode = setWriteAheadLog(database)
  if (mode !== 'wal')
    throw new Error(`the file system does not support SQLite's write-ahead log (it stays in mode ${mode})`)
  // FULL fsyncs every commit; NORMAL only when the log is moved into the database.
  database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
  database.exec(`PRAGMA journal_size_limit = ${WAL_KEPT_BYTES}`)
  // Deleted content is overwritten in the file, because users delete it for privacy.
  database.exec('PRAGMA secure_delete = ON')
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
}

const RETRY_EVERY_MS = 10

/**
 * Returns the mode that the database has then. SQLite waits for other connections everywhere but here: of two that
 * create a database at once, one is refused at once.
 */
function setWriteAheadLog(database: DatabaseSync): unknown {
  const deadline = performance.now() + BUSY_TIMEOUT_MS
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    try {
      return database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
    } catch (error) {
      if (sqliteCode(error) !== SQLITE.busy || performance.now() > deadline) throw error
      Atomics.wait(pause, 0, 0, RETRY_EVERY_MS)
    }
  }
}
