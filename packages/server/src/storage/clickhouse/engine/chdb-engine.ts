import { mkdirSync } from 'node:fs'
import { drainPending, Session } from 'chdb'
import { OperatorError } from '../../../lib/operator-error.ts'
import { currentRequester } from '../../../lib/flow/requester.ts'
import { keepDefinitions, LEAST_FREE_BYTES, noSpaceIn, repairDefinitions } from './definition-files.ts'
import { cancellable } from './cancel-read.ts'
import { SHORTEST_PREFIX } from '../../../traces/rules/search-text.ts'
import { INSERT_SETTINGS, LONGEST_READ_SECONDS, LONGEST_STATEMENT } from './engine-settings.ts'
import { DamagedParts, type DamagedPartsOptions } from '../damage/damaged-parts.ts'
import type { ExclusiveSession } from '../damage/exclusive-session.ts'
import { type InsertCheck, TornInserts } from '../parts/torn-inserts.ts'
import { toReadFailure } from './read-failure.ts'
import { ReadQueue } from './read-queue.ts'
import { SessionPool } from './session-pool.ts'
import type { TelemetryEngine } from './telemetry-engine.ts'
import { freeBytesOf } from '../../../lib/disk-full.ts'

export interface ChdbEngineOptions {
  readonly directory: string
  /** Memory limit of the engine for queries and merges, bytes. */
  readonly memoryBytes: number
  /** Number of sessions for reads. Each runs one query at a time. */
  readonly readers: number
  /**
   * Called with the cause of each read that failed for lack of time, memory or disk. The caller gets DomainError
   * `storage_unavailable`.
   */
  readonly onReadError?: (error: unknown) => void
  /** How to set a part aside that cannot be read. Absent: nothing is changed, and reads that meet damage fail. */
  readonly damage?: Omit<DamagedPartsOptions, 'session' | 'clearTornInserts'>
}

/** Cache sizes for a process on a small shared machine; the engine's defaults are for servers. */
const CACHE_ARGUMENTS = [
  '--mark_cache_size=16777216',
  '--index_mark_cache_size=16777216',
  '--primary_index_cache_size=25165824',
  '--text_index_tokens_cache_size=16777216',
  '--text_index_header_cache_size=16777216',
  '--text_index_postings_cache_size=16777216',
  '--query_condition_cache_size=8388608',
  // The engine's own count drifts from the actual use and once reached the limit with a third of it in use, so use the
  // allocator's figure. Reading it 20 times a second, as by default, would be a third of what an idle service costs.
  '--memory_worker_correct_memory_tracker=1',
  '--memory_worker_period_ms=250',
  // One merge at a time: each holds whole blocks in memory.
  '--background_pool_size=1',
  '--background_merges_mutations_concurrency_ratio=1',
]

export interface ChdbEngine extends TelemetryEngine {
  /**
   * Sets a part aside that was found damaged by something other than a read; false when that is not possible now. Never
   * rejects.
   */
  repairPart(part: { readonly table: string; readonly name: string; readonly what: string }): Promise<boolean>
  /** Loads tables that could not be loaded again after a part was set aside. Never rejects. */
  finishRepairs(): Promise<void>
  /** Whether no table is left unloaded. */
  isLoaded(): boolean
  readonly inserts: InsertCheck
}

/** Creates or opens the embedded store. Throws OperatorError when another process has it, and ENOSPC on a full disk. */
export function openChdbEngine(options: ChdbEngineOptions): ChdbEngine {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 })
  repairDefinitions(options.directory)
  const sessions: Session[] = []
  const open = (count: number, ...settings: readonly string[]) => {
    const opened = Array.from({ length: count }, () => openSession(options))
    sessions.push(...opened)
    for (const session of opened) {
      session.query(`CREATE DATABASE IF NOT EXISTS spoor`)
      session.query('USE spoor')
      for (const setting of settings) session.query(`SET ${setting}`)
    }
    return opened
  }
  const writers = new SessionPool(open(2))
  const readSettings = [
    'max_threads = 1',
    // This optimisation makes a filtered sort several times slower here.
    'use_top_k_dynamic_filtering = 0',
    // Reading in the order of the key would read 20 MB ahead of each part: a common word in many parts then fails.
    'read_in_order_use_buffering = 0',
    // The shortest prefix of a search: by default the dictionary of the index is used for four letters or more.
    `text_index_like_min_pattern_length = ${SHORTEST_PREFIX}`,
    `max_memory_usage = ${Math.floor(options.memoryBytes / 2)}`,
    'output_format_json_quote_64bit_integers = 0',
    `max_query_size = ${LONGEST_STATEMENT}`,
  ]
  // The library's own abort and time-out would only stop waiting for a read.
  const readers = new ReadQueue(
    Array.from({ length: options.readers }, (_, index) => {
      const name = `reader ${index}`
      const settings = [...readSettings, `max_execution_time = ${LONGEST_READ_SECONDS}`, `log_comment = '${name}'`]
      return { name, session: open(1, ...settings)[0] as Session }
    }),
  )
  const read = <T>(work: (session: Session) => Promise<T>) => {
    const requester = currentRequester()
    const signal = requester.kind === 'project' ? requester.signal : null
    return readers.use(requester, ({ session, name }) =>
      cancellable(
        signal,
        () => work(session),
        () => writers.use((other) => killQuery(other, name)),
      ),
    )
  }
  const torn = new TornInserts()
  const damaged = damagedPartsOf(options, {
    torn,
    open: () => open(1, ...readSettings)[0] as Session,
    alone: (work) =>
      readers.withAllHeld(() =>
        writers.withAllHeld(async () => {
          // A session uses the tables of a read that failed until its next statement.
          for (const session of sessions) await session.queryAsync('SELECT 1')
          return work()
        }),
      ),
  })
  const refuseRead = (error: unknown): never => {
    const failure = toReadFailure(error, damaged?.isLoaded)
    if (failure !== error) options.onReadError?.(failure)
    throw failure
  }
  const select = <T>(sql: string, take: (session: Session, sql: string) => Promise<T>) =>
    readWithoutDamage(() => read((session) => take(session, sql)), damaged, sql).catch(refuseRead)
  const engine = {
    select: (sql: string) => select(sql, readRows),
    selectParquet: (sql: string) => select(sql, readParquet),
    async command(sql: string) {
      await writers.use((session) => keepDefinitions(options.directory, sql, () => session.queryAsync(sql)))
    },
  }
  return {
    ...engine,
    inserts: { begin: () => torn.begin(engine), end: () => torn.end(engine), clear: () => torn.clear(engine) },
    async insert(table, rows) {
      await writers.use((session) =>
        session.insert({ table, values: rows, format: 'JSONEachRow', settings: INSERT_SETTINGS }),
      )
    },
    repairPart: async (part) => (await damaged?.setKnownAside(part, part.what)) ?? false,
    finishRepairs: async () => await damaged?.finish(),
    isLoaded: () => damaged?.isLoaded ?? true,
    async close() {
      await damaged?.idle()
      await drainPending()
      for (const session of sessions) session.close()
      await drainPending()
    },
  }
}

/** Number of parts that one read may have set aside, one after the other. */
const MOST_SET_ASIDE = 8

async function readWithoutDamage<T>(read: () => Promise<T>, damaged: DamagedParts | null, sql: string): Promise<T> {
  for (let count = 0; ; count++) {
    try {
      return await read()
    } catch (error) {
      if (damaged === null || count === MOST_SET_ASIDE || !(await damaged.setAsideFor(error, sql))) throw error
    }
  }
}

/** Ends the query of the session with this name, found by its `log_comment`. False when none is running. */
async function killQuery(session: Session, name: string): Promise<boolean> {
  const killed = await readRows(session, `KILL QUERY WHERE Settings['log_comment'] = '${name}' ASYNC`)
  return killed.length > 0
}

/** Sessions whose latest read has failed or is still running. */
const unclean = new WeakSet<Session>()

/**
 * When a read fails or is killed, chDB keeps the rows that it has printed and prepends them to the session's next
 * result, which may be another client's. So they are read and discarded first.
 */
async function readAs(format: 'JSONCompactEachRow' | 'Parquet', session: Session, sql: string) {
  if (unclean.has(session)) await session.queryAsync('SELECT 1', { format: 'JSONCompactEachRow' })
  unclean.add(session)
  const answer = await session.queryAsync(sql, { format })
  unclean.delete(session)
  return answer
}

async function readRows(session: Session, sql: string): Promise<readonly (readonly unknown[])[]> {
  const lines = (await readAs('JSONCompactEachRow', session, sql)).text()
  // Line ends inside values are escaped, so each line end ends a row.
  return lines === '' ? [] : (JSON.parse(`[${lines.trimEnd().replaceAll('\n', ',')}]`) as unknown[][])
}

async function readParquet(session: Session, sql: string): Promise<Buffer> {
  const { buffer, byteOffset, byteLength } = (await readAs('Parquet', session, sql)).bytes()
  return Buffer.from(buffer, byteOffset, byteLength)
}

interface SessionAccess {
  /** Uses a session of its own, with the settings of reads but without their time limit. */
  readonly open: () => Session
  readonly torn: TornInserts
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
}

/** The session is opened on first use, which never happens on an intact disk. */
function damagedPartsOf(
  { damage, directory }: ChdbEngineOptions,
  { open, alone, torn }: SessionAccess,
): DamagedParts | null {
  if (damage === undefined) return null
  let opened: Session | null = null
  const own = () => (opened ??= open())
  const session: ExclusiveSession = {
    select: (sql) => readRows(own(), sql),
    command: async (sql) => {
      await keepDefinitions(directory, sql, () => own().queryAsync(sql))
    },
    alone,
  }
  return new DamagedParts({ ...damage, session, clearTornInserts: () => torn.clear(session) })
}

function openSession({ directory, memoryBytes }: ChdbEngineOptions): Session {
  try {
    return new Session(directory, {
      connectionArgs: [...CACHE_ARGUMENTS, `--max_server_memory_usage=${memoryBytes}`],
    })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'CHDB_CONNECTION')) throw error
    if (freeBytesOf(directory) < LEAST_FREE_BYTES) throw noSpaceIn(directory)
    throw new OperatorError(
      `The store in ${directory} cannot be opened; the lines above say why. If the disk is full, make space; if another Spoor runs on this data directory, stop it, or name another folder with --data-dir.`,
      { cause: error },
    )
  }
}
