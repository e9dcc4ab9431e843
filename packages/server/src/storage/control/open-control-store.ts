import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Journal } from '../../journal/journal.ts'
import type { Clock } from '../../lib/clock.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { MediaStore } from '../../media/media-store.ts'
import type { MetricStore } from '../../metrics/metric-store.ts'
import type { PriceStore } from '../../pricing/price-store.ts'
import type { EvaluationLease, MonitorStore } from '../../monitors/monitor-store.ts'
import type { KeyStore } from '../../projects/key-store.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import type { SessionStore } from '../../projects/session-store.ts'
import { configureConnection, CONNECTION_OPTIONS } from './configure-connection.ts'
import { createQueries } from './kysely-dialect.ts'
import { ALL_MIGRATIONS } from './migrations/all-migrations.ts'
import { explainOpenFailure } from './explain-open-failure.ts'
import { createPrivateFile, makePrivate } from './private-file.ts'
import { runMigrations, schemaVersion } from './run-migrations.ts'
import type { OnReadError } from './sqlite-error.ts'
import { SqliteJournal } from './sqlite-journal.ts'
import { SqliteKeyStore } from './sqlite-key-store.ts'
import { SqliteMediaStore } from './sqlite-media-store.ts'
import { SqliteMetricStore } from './sqlite-metric-store.ts'
import { SqlitePriceStore } from './sqlite-price-store.ts'
import { SqliteMonitorStore } from './sqlite-monitor-store.ts'
import { SqliteProjectStore } from './sqlite-project-store.ts'
import { SqliteSessionStore } from './sqlite-session-store.ts'

/** "Spor" in ASCII: SQLite keeps it in the file's header, so that another program's database is never taken for ours. */
const APPLICATION_ID = 0x53706f72

export interface ControlStore {
  readonly projects: ProjectStore
  readonly keys: KeyStore
  readonly sessions: SessionStore
  readonly journal: Journal
  readonly media: MediaStore
  readonly metrics: MetricStore
  readonly prices: PriceStore
  readonly monitors: MonitorStore & EvaluationLease
  /** Bytes of the database file, without its write-ahead log. */
  sizeBytes(): number
  /** The last thing done with it. */
  close(): void
}

export interface OpenControlStoreOptions {
  readonly dataDir: string
  readonly clock: Clock
  /** Whether a missing folder or database is made. The command line says no: a mistyped folder must not become an empty service. */
  readonly create: boolean
  /** Told why something could not be read; the caller gets a DomainError. */
  readonly onReadError?: OnReadError
}

/**
 * Opens `<dataDir>/control.db`, brought to the newest schema. Several processes may have it open at once: the service and its command line.
 * Throws OperatorError when it cannot be used: folder missing or not writable, another program's file, damaged, or written by a newer Spoor.
 */
export function openControlStore({ dataDir, clock, create, onReadError }: OpenControlStoreOptions): ControlStore {
  const path = join(dataDir, 'control.db')
  if (!create && !existsSync(path)) {
    throw new OperatorError(
      `There is no Spoor data in ${dataDir}. Start the service there once, or name its folder with --data-dir.`,
    )
  }
  let database: DatabaseSync | null = null
  try {
    // What is in there is for the service's own account only: keys, and what agents said.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    createPrivateFile(path)
    database = new DatabaseSync(path, CONNECTION_OPTIONS)
    refuseForeign(database, path)
    // SQLite gives its other files the mode of the database; an older version may have left all of them open to others.
    for (const suffix of ['', '-wal', '-shm']) makePrivate(`${path}${suffix}`)
    configureConnection(database)
    markAsOurs(database)
    runMigrations(database, ALL_MIGRATIONS, clock)
    return storesOn(database, onReadError)
  } catch (error) {
    if (database?.isOpen === true) database.close()
    throw explainOpenFailure(error, path)
  }
}

function storesOn(database: DatabaseSync, onReadError?: OnReadError): ControlStore {
  const queries = createQueries(database, onReadError)
  return {
    projects: new SqliteProjectStore(database, queries),
    keys: new SqliteKeyStore(database, queries, onReadError),
    sessions: new SqliteSessionStore(database, onReadError),
    journal: new SqliteJournal(database, onReadError),
    media: new SqliteMediaStore(database, onReadError),
    metrics: new SqliteMetricStore(database, onReadError),
    prices: new SqlitePriceStore(database, onReadError),
    monitors: new SqliteMonitorStore(database, onReadError),
    sizeBytes: () => sizeOf(database),
    close: () => database.close(),
  }
}

/** Looks before anything is written. */
function refuseForeign(database: DatabaseSync, path: string): void {
  const tables = Number(database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'])
  if (tables > 0 && applicationId(database) !== APPLICATION_ID) {
    throw new OperatorError(`${path} is a database of another program. Name Spoor's own folder with --data-dir.`)
  }
  const known = ALL_MIGRATIONS.length
  const found = schemaVersion(database)
  if (found > known) {
    throw new OperatorError(
      `${path} was written by a newer version of Spoor (schema ${found}; this one knows ${known}). ` +
        'Start that version or a newer one, or restore a backup from before the upgrade.',
    )
  }
}

/** Written once: a process that only reads must not disturb the others. */
function markAsOurs(database: DatabaseSync): void {
  if (applicationId(database) !== APPLICATION_ID) database.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
}

function applicationId(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA application_id').get()?.['application_id'])
}

function sizeOf(database: DatabaseSync): number {
  const row = database.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size').get()
  return Number(row?.['bytes'])
}
