import { chmodSync, closeSync, existsSync, openSync, statSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/operator-error.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { configureConnection, CONNECTION_OPTIONS, type Durability } from './configure-connection.ts'
import { explainOpenFailure, refuseOtherSchema } from './explain-open-failure.ts'
import type { Migration } from './schema/migration.ts'
import { runMigrations, schemaVersion } from './run-migrations.ts'

const OWN_ACCOUNT_ONLY = 0o600

const OTHER_ACCOUNTS = 0o077

export interface DatabaseDescription {
  readonly path: string
  /** Stored in the file's header, so that the database of another program is never taken for Spoor's. */
  readonly applicationId: number
  readonly migrations: readonly Migration[]
  readonly durability: Durability
  /** Whether free pages can be returned to the file system. Fixed when the file is created. */
  readonly shrinks: boolean
  /** How long a write waits for that of another process before it fails, milliseconds; default 5000. */
  readonly busyTimeoutMs?: number
}

export interface DatabaseFile {
  /** Bytes of the database file, without its write-ahead log. */
  sizeBytes(): number
  /**
   * Moves the write-ahead log into the database and empties it: its pages hold content that was deleted since. Returns
   * false if another connection prevents that now; does not wait for it.
   */
  emptyLog(): boolean
  /** MUST be the last call. */
  close(): void
}

/**
 * Opens a database of the data folder, creates it if it does not exist, migrates it to the latest schema and returns
 * the result of `use`. Throws OperatorError if the folder is missing or not writable, or if the file belongs to another
 * program, is damaged or was written by a newer Spoor.
 */
export function openDatabase<T>(description: DatabaseDescription, clock: Clock, use: (database: DatabaseSync) => T): T {
  const { path, migrations, durability, shrinks, busyTimeoutMs } = description
  let database: DatabaseSync | null = null
  try {
    // Readable by the service's own account only: it holds keys and what agents said.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    createPrivateFile(path)
    database = new DatabaseSync(path, CONNECTION_OPTIONS)
    refuseForeign(database, description)
    // SQLite gives its other files the mode of the database. Older versions may have left them readable to others.
    for (const suffix of ['', '-wal', '-shm']) makePrivate(`${path}${suffix}`)
    // Before the first page is written; later it does nothing.
    if (shrinks) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    configureConnection(database, durability)
    if (busyTimeoutMs !== undefined) database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    markAsOurs(database, description)
    runMigrations(database, migrations, clock)
    return use(database)
  } catch (error) {
    if (database?.isOpen === true) database.close()
    throw explainOpenFailure(error, path)
  }
}

/** The file of an open database, of which a store is made. */
export function fileOf(database: DatabaseSync): DatabaseFile {
  return { sizeBytes: () => sizeOf(database), emptyLog: () => emptyLog(database), close: () => database.close() }
}

function sizeOf(database: DatabaseSync): number {
  const row = database.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get()
  return Number(row?.['bytes'])
}

/** Pages of the database file, and how many of them are free. */
export function freePagesOf(database: DatabaseSync): { readonly free: number; readonly pages: number } {
  const row = database
    .prepare('SELECT freelist_count AS free, page_count AS pages FROM pragma_freelist_count, pragma_page_count')
    .get()
  return { free: Number(row?.['free']), pages: Number(row?.['pages']) }
}

/** Returns at most `mostPages` free pages to the file system, if the file was created with `shrinks`. */
export function returnFreePages(database: DatabaseSync, mostPages: number): void {
  database.exec(`PRAGMA incremental_vacuum(${mostPages})`)
}

function emptyLog(database: DatabaseSync): boolean {
  const timeoutMs = Number(database.prepare('PRAGMA busy_timeout').get()?.['timeout'])
  database.exec('PRAGMA busy_timeout = 0')
  try {
    return database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`)
  }
}

/** Checks before anything is written. */
function refuseForeign(database: DatabaseSync, description: DatabaseDescription): void {
  const { path, migrations } = description
  const tables = Number(database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'])
  if (tables > 0 && applicationIdOf(database) !== description.applicationId) {
    throw new OperatorError(`${path} is a database of another program. Name Spoor's own folder with --data-dir.`)
  }
  refuseOtherSchema(path, schemaVersion(database), migrations)
}

/** Writes only once: opening an existing database must not disturb other processes. */
function markAsOurs(database: DatabaseSync, { applicationId }: DatabaseDescription): void {
  if (applicationIdOf(database) !== applicationId) database.exec(`PRAGMA application_id = ${applicationId}`)
}

function applicationIdOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA application_id').get()?.['application_id'])
}

/** Creates an empty file that only its owner can read and write. An existing file is not changed. */
function createPrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', OWN_ACCOUNT_ONLY))
}

/** Removes the rights of all other accounts from a file, if it exists. Throws OperatorError if it may not. */
function makePrivate(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode
  if (mode === undefined || (mode & OTHER_ACCOUNTS) === 0) return
  try {
    chmodSync(path, OWN_ACCOUNT_ONLY)
  } catch (error) {
    throw new OperatorError(
      `Other accounts have rights to ${path}, and this one cannot take them away (${String(error)}). ` +
        'Give the file to the account that runs Spoor, or set its mode to 600.',
      { cause: error },
    )
  }
}
