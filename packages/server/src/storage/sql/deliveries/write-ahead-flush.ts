import { closeSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { DomainError } from '../../../lib/domain-error.ts'
import { SharedCalls } from '../../../lib/flow/shared-calls.ts'
import { storeUnavailable } from '../../store-failure.ts'
import { toDomainError } from '../sqlite-error.ts'

/** Flushes the data of a file to the disk, on another thread. */
export type SyncFile = (descriptor: number) => Promise<void>

const systemSyncFile: SyncFile = promisify(fdatasync)

/**
 * Makes the transactions of a SQLite database durable without blocking this thread: with `synchronous = NORMAL` SQLite
 * appends them to its write-ahead log and flushes the log only when it moves pages into the database.
 *
 * Why flushing the log is enough:
 * - What a checkpoint has moved is in the database: SQLite flushes the log before it copies pages and the database
 *   after, and only then begins the log again from its start, in the same file.
 * - Opening the log again by its name is safe: SQLite's locks are on the database and its `-shm` file, never on the
 *   log. The database file itself MUST NOT be opened and closed here, which would drop this process's locks on it.
 */
export class WriteAheadFlush {
  readonly #database: DatabaseSync
  readonly #syncFile: SyncFile
  readonly #log: number
  /** A flush failed: the kernel may have dropped pages, and another flush alone would succeed without them. */
  #isInDoubt = false
  readonly #flushes = new SharedCalls(() => this.#run())

  /**
   * Makes the writes of earlier processes and the names of the files durable. Blocks. Call it after creating the
   * schema.
   */
  constructor(database: DatabaseSync, path: string, syncFile: SyncFile = systemSyncFile) {
    this.#database = database
    this.#syncFile = syncFile
    // Copies the log into the database, as an earlier flush may have failed. It copies less while another process
    // reads.
    this.#checkpoint()
    this.#log = openSync(`${path}-wal`, 'r+')
    fdatasyncSync(this.#log)
    const folder = openSync(dirname(path), 'r')
    fsyncSync(folder)
    closeSync(folder)
  }

  /**
   * Resolves when everything written before the call is durable. Calls made during a flush share the next one. Rejects
   * with DomainError `storage_unavailable` if the disk fails; the next call writes the affected data again.
   */
  flush(): Promise<void> {
    return this.#flushes.next()
  }

  /** A flush under way ends by itself. */
  close(): void {
    void this.#flushes.idle().then(() => closeSync(this.#log))
  }

  async #run(): Promise<void> {
    try {
      if (!this.#isInDoubt) return await this.#syncFile(this.#log)
      if (!this.#checkpoint()) throw new Error('another process is reading the database')
      this.#isInDoubt = false
    } catch (error) {
      this.#isInDoubt = true
      const failure = toDomainError(error)
      throw failure instanceof DomainError ? failure : storeUnavailable(error)
    }
  }

  /** Moves the whole log into the database and flushes it. False if another process prevents that. */
  #checkpoint(): boolean {
    return this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0
  }
}
