import { existsSync } from 'node:fs'
import { copyFile, link, mkdir, open, readdir, rename, rm, truncate } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { codeOf } from '../../lib/error-code.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { RESERVE_FILE } from '../../operation/deletion-reserve.ts'
import { linkTelemetry } from '../check/link-telemetry.ts'
import { tableFolders } from '../clickhouse/parts/unrecorded-parts.ts'
import { findPartDamage } from '../clickhouse/parts/part-damage.ts'
import { parsePartName } from '../clickhouse/parts/part-name.ts'
import { type PartsRecord, readPartsRecord } from '../clickhouse/parts/parts-record.ts'
import { DATA_FILES } from '../data-files.ts'
import { listSegmentFiles } from '../embedded/log/commit-log-files.ts'
import { peekRecord } from '../embedded/log/commit-log-record.ts'
import { readCommitLog } from '../embedded/log/commit-log.ts'
import { chooseParts } from './choose-parts.ts'

/** A copy of the data folder at one commit, without media: a start on it would find what the service had then. */
export interface Snapshot {
  readonly storeId: string
  /** The last commit in it, and the last position of the journal. */
  readonly commit: number
  readonly position: number
}

/** In this order: the dispatch of events, in deliveries.db, MUST NOT be ahead of the journal, in control.db. */
const DATABASES = ['deliveries.db', 'clusters.db', DATA_FILES.control]

/** Pages that SQLite copies without a break. */
const PAGES_TOGETHER = 1000

const ATTEMPTS = 5
/** The record of the parts is written every three seconds. */
const PAUSE_MS = 2000

/**
 * Makes the copy in `folder`, an empty folder in the data folder: hard links to what never changes, copies of all else.
 * A service may run on the store, and is not asked: what the parts lack is in the log, which is linked before and after
 * them, and the journal is read last. Where something was removed in between, it begins again. Throws OperatorError
 * when the store is not whole.
 */
export async function takeSnapshot(dataDir: string, folder: string): Promise<Snapshot> {
  for (let attempt = 1; ; attempt++) {
    await emptyFolder(folder)
    const taken = await tryToTake(dataDir, folder)
    if (typeof taken !== 'string') return taken
    if (attempt === ATTEMPTS)
      throw new OperatorError(
        `${dataDir} cannot be copied: ${taken}. Run spoor check; if no service runs, start it once.`,
      )
    await new Promise((wake) => setTimeout(wake, PAUSE_MS))
  }
}

/** Resolves with the reason when the copy is not of one moment. */
async function tryToTake(dataDir: string, folder: string): Promise<Snapshot | string> {
  const before = marksIn(join(dataDir, DATA_FILES.control))
  const log = join(folder, DATA_FILES.commitLog)
  await mkdir(log, { recursive: true })
  await linkLog(join(dataDir, DATA_FILES.commitLog), log)
  await copySmallFiles(dataDir, folder)
  const record = await readPartsRecord(join(folder, DATA_FILES.partsRecord))
  if (record === null) return `${DATA_FILES.partsRecord} is missing`
  await linkTelemetry(join(dataDir, DATA_FILES.telemetry), join(folder, DATA_FILES.telemetry))
  const lacking = await dropOtherParts(join(folder, DATA_FILES.telemetry), record)
  if (lacking !== null) return lacking
  const { isPurged, ...state } = await copyDatabases(dataDir, folder, before)
  if (isPurged) return 'deleted traces were being removed'
  await linkLog(join(dataDir, DATA_FILES.commitLog), log)
  await cutLog(log, state.commit)
  const range = { after: Math.min(record.settledThrough, state.commit), through: state.commit }
  let gap: string | null = null
  for await (const _ of readCommitLog(log, range, ({ from, through }) => {
    gap ??= `the log lacks the commits ${from} to ${through}`
  })) {
    // Reads each record, which verifies it.
  }
  if (record.settledThrough > state.commit) return `control.db ends at commit ${state.commit}, before its other files`
  return gap ?? state
}

/** Everything beside databases, engine, log and media: keys, records of parts and damage, prices. */
async function copySmallFiles(dataDir: string, folder: string): Promise<void> {
  for (const entry of await readdir(dataDir, { withFileTypes: true })) {
    if (entry.isFile() && !isLeftOut(entry.name)) await copyFile(join(dataDir, entry.name), join(folder, entry.name))
  }
}

/** Databases, which have a copy of their own, locks, drafts, and the space that is kept for deletions. */
function isLeftOut(name: string): boolean {
  return /\.(db|db-wal|db-shm|lock|new)$/.test(name) || name === RESERVE_FILE
}

/** Links the segments that are not linked yet. A linked one grows while the service appends to it. */
async function linkLog(from: string, to: string): Promise<void> {
  for (const { path } of await listSegmentFiles(from)) {
    try {
      await link(path, join(to, basename(path)))
    } catch (error) {
      // Linked before, or removed since: then its commits are in the engine, or a gap is found.
      if (!['EEXIST', 'ENOENT'].includes(codeOf(error) ?? '')) throw error
    }
  }
}

/** Removes what was logged after the commit. Changes no linked file. */
async function cutLog(log: string, commit: number): Promise<void> {
  const segments = await listSegmentFiles(log)
  const last = segments.findLast(({ firstVersion }) => firstVersion <= commit)
  for (const { firstVersion, path } of segments) if (firstVersion > commit) await rm(path)
  if (last === undefined) return
  const end = await endOfCommit(last.path, commit)
  const copy = `${last.path}.cut`
  await copyFile(last.path, copy)
  await truncate(copy, end)
  await rename(copy, last.path)
}

/** Where the record of the commit ends, or the last one before it. */
async function endOfCommit(path: string, commit: number): Promise<number> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    for (let position = 0; ;) {
      const place = await peekRecord(handle, position, size)
      if (place === null || place.version > commit) return position
      position = place.endPosition
      if (place.version === commit) return position
    }
  } finally {
    await handle.close()
  }
}

/** Resolves with the reason when the linked parts are not a whole table; null when they are. */
async function dropOtherParts(telemetry: string, { parts }: PartsRecord): Promise<string | null> {
  const recorded = Map.groupBy(
    parts.filter(({ rows }) => rows > 0),
    ({ table }) => table,
  )
  for (const { table, folder } of await tableFolders(telemetry)) {
    const names = (await readdir(folder)).filter((name) => parsePartName(name) !== null)
    const chosen = chooseParts(names, recorded.get(table)?.map(({ name }) => name) ?? [])
    if (chosen === null) return `parts of the table ${table} are missing`
    recorded.delete(table)
    const kept = new Set(chosen)
    for (const name of names) {
      const damage = kept.has(name) ? await findPartDamage(join(folder, name)) : null
      // The engine may have removed some of its files before they were linked.
      if (damage !== null) return `the part ${name} of the table ${table} is not whole (${damage.what})`
      if (!kept.has(name)) await rm(join(folder, name), { recursive: true })
    }
  }
  const [table] = recorded.keys()
  return table === undefined ? null : `the table ${table} is missing`
}

/** The databases as they are at one moment. */
async function copyDatabases(
  dataDir: string,
  folder: string,
  before: Marks,
): Promise<Snapshot & { readonly isPurged: boolean }> {
  const opened = DATABASES.map((name) => ({ name, database: openToRead(join(dataDir, name)) }))
  try {
    // A transaction begins with its first read. No other work of this process comes between them.
    for (const { database } of opened) {
      database.exec('BEGIN')
      database.prepare('SELECT count(*) FROM sqlite_schema').get()
    }
    const control = opened.at(-1)?.database as DatabaseSync
    const state = control.prepare('SELECT version, head_position FROM journal_state').get()
    const identity = control.prepare('SELECT store_id FROM store_identity').get()
    const isPurged = marksOf(control, before.commit) !== before.marks
    for (const { name, database } of opened) await backup(database, join(folder, name), { rate: PAGES_TOGETHER })
    return {
      storeId: identity?.['store_id'] as string,
      commit: Number(state?.['version']),
      position: Number(state?.['head_position']),
      isPurged,
    }
  } finally {
    for (const { database } of opened) database.close()
  }
}

/** Of deleted traces and events that the control store still knows. */
interface Marks {
  readonly commit: number
  readonly marks: string
}

function marksIn(control: string): Marks {
  const database = openToRead(control)
  try {
    const commit = Number(database.prepare('SELECT version FROM journal_state').get()?.['version'])
    return { commit, marks: marksOf(database, commit) }
  } finally {
    database.close()
  }
}

/** Differs once the control store forgets a trace or an event because the engine has removed it. */
function marksOf(control: DatabaseSync, commit: number): string {
  const removed = `SELECT count(*) FROM removed_events WHERE version <= ${commit}`
  const row = control
    .prepare(
      `SELECT count(*) AS traces, hex(min(trace_id)) AS first, hex(max(trace_id)) AS last, (${removed}) AS events
         FROM deleted_traces WHERE purged = 1`,
    )
    .get()
  return JSON.stringify(row)
}

function openToRead(path: string): DatabaseSync {
  if (!existsSync(path)) throw new OperatorError(`${path} is missing. Start the service once, or run spoor check.`)
  return new DatabaseSync(path, { readOnly: true, timeout: 5000 })
}

async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
}
