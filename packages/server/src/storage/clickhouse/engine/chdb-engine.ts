import { mkdirSync } from 'node:fs'
import { drainPending, Session } from 'chdb'
import { OperatorError } from '../../../lib/operator-error.ts'
import { currentRequester } from '../../../lib/work/requester.ts'
import { dropEmptyDefinitions, refuseDefinitionWithoutSpace } from './definition-files.ts'
import { cancellable } from './cancel-read.ts'
import { PartSalvager, type PartSalvagerOptions } from '../damage/part-salvager.ts'
import { toReadFailure } from './read-failure.ts'
import { ReadQueue } from './read-queue.ts'
import { SessionPool } from './session-pool.ts'
import type { TelemetryEngine } from './telemetry-engine.ts'

export interface ChdbEngineOptions {
  readonly directory: string
  /** What the engine may allocate for queries and merges, bytes. */
  readonly memoryBytes: number
  /** Sessions that answer reads; each runs one query at a time. */
  readonly readers: number
  /**
   * Told the cause of each read that failed by time, memory or disk; its caller gets DomainError `storage_unavailable`.
   */
  readonly onReadError?: (error: unknown) => void
  /** What to do with a part that cannot be read. Without it nothing is changed, and reads that meet damage fail. */
  readonly salvage?: Omit<PartSalvagerOptions, 'session'>
}

/** Caches sized for a process that shares a small machine; the engine's defaults are made for servers. */
const CACHE_ARGUMENTS = [
  '--mark_cache_size=16777216',
  '--index_mark_cache_size=16777216',
  '--primary_index_cache_size=25165824',
  '--text_index_tokens_cache_size=16777216',
  '--text_index_header_cache_size=16777216',
  '--text_index_postings_cache_size=16777216',
  '--query_condition_cache_size=8388608',
  // What is counted drifts away from what is used, and one day reached the limit with a third of it in use: believe the
  // allocator.
  '--memory_worker_correct_memory_tracker=1',
  // Merges one at a time: each holds whole blocks in memory.
  '--background_pool_size=1',
  '--background_merges_mutations_concurrency_ratio=1',
]

/**
 * One thread: the other cores are the clients'. One block whatever the size, so that an insert is one part in each
 * partition and stored whole or not at all there. The text indexes of a fresh part are built by its first merge; until
 * then its few rows are searched as they are.
 */
const INSERT_SETTINGS = {
  input_format_parallel_parsing: 0,
  max_threads: 1,
  max_insert_threads: 1,
  max_insert_block_size: 10_000_000,
  min_insert_block_size_rows: 10_000_000,
  min_insert_block_size_bytes: 0,
  // A partition for each month: changes of very old traces may touch many, and what is committed must not be refused.
  max_partitions_per_insert_block: 0,
  // Metric events are written once for two tables.
  input_format_skip_unknown_fields: 1,
  // Values of metrics to the last bit.
  precise_float_parsing: 1,
  exclude_materialize_skip_indexes_on_insert: 'text_index,terms_index',
}

/**
 * A read that takes longer has gone wrong: abort and time-out of the library would only stop waiting for it, seconds.
 */
const LONGEST_READ_SECONDS = 30

export interface ChdbEngine extends TelemetryEngine {
  /**
   * Sets a part aside that was found damaged otherwise than by a read; false when that is not possible now. Rejects
   * never.
   */
  repairPart(part: { readonly table: string; readonly name: string; readonly what: string }): Promise<boolean>
}

/** Makes or opens the embedded store. Throws OperatorError when another process has it open. */
export function openChdbEngine(options: ChdbEngineOptions): ChdbEngine {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 })
  dropEmptyDefinitions(options.directory)
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
    // It makes a filtered sort several times slower here.
    'use_top_k_dynamic_filtering = 0',
    `max_memory_usage = ${Math.floor(options.memoryBytes / 2)}`,
    'output_format_json_quote_64bit_integers = 0',
    // 100,000 ids of 31 bytes (`isAmong`), and what is around them.
    'max_query_size = 4194304',
  ]
  const readers = new ReadQueue(
    Array.from({ length: options.readers }, (_, index) => {
      const name = `reader ${index}`
      const settings = [...readSettings, `max_execution_time = ${LONGEST_READ_SECONDS}`, `log_comment = '${name}'`]
      return { name, session: open(1, ...settings)[0] as Session }
    }),
  )
  const read = (sql: string) => {
    const requester = currentRequester()
    const signal = requester.kind === 'project' ? requester.signal : null
    return readers.use(requester, ({ session, name }) =>
      cancellable(
        signal,
        () => readRows(session, sql),
        () => writers.use((other) => killQuery(other, name)),
      ),
    )
  }
  const salvager = salvagerOf(options, {
    open: () => open(1, ...readSettings)[0] as Session,
    alone: (work) => readers.withAllHeld(() => writers.withAllHeld(work)),
  })
  const refuseRead = (error: unknown): never => {
    const failure = toReadFailure(error)
    if (failure !== error) options.onReadError?.(error)
    throw failure
  }
  return {
    async select(sql) {
      return await readWithSalvage(read, salvager, sql).catch(refuseRead)
    },
    async command(sql) {
      refuseDefinitionWithoutSpace(options.directory, sql)
      await writers.use((session) => session.queryAsync(sql))
    },
    async insert(table, rows) {
      await writers.use((session) =>
        session.insert({ table, values: rows, format: 'JSONEachRow', settings: INSERT_SETTINGS }),
      )
    },
    repairPart: async (part) => (await salvager?.salvageKnown(part, part.what)) ?? false,
    async close() {
      await salvager?.idle()
      await drainPending()
      for (const session of sessions) session.close()
      await drainPending()
    },
  }
}

/** Parts that one read may find damaged, one after the other. */
const MOST_SALVAGES = 8

async function readWithSalvage(
  read: (sql: string) => Promise<readonly (readonly unknown[])[]>,
  salvager: PartSalvager | null,
  sql: string,
): Promise<readonly (readonly unknown[])[]> {
  for (let salvages = 0; ; salvages++) {
    try {
      return await read(sql)
    } catch (error) {
      if (salvager === null || salvages === MOST_SALVAGES || !(await salvager.salvageFor(error, sql))) throw error
    }
  }
}

/** Ends what runs on the session of this name, found by its `log_comment`. False when nothing does. */
async function killQuery(session: Session, name: string): Promise<boolean> {
  const killed = await readRows(session, `KILL QUERY WHERE Settings['log_comment'] = '${name}' ASYNC`)
  return killed.length > 0
}

/** Sessions whose latest read failed or has not ended. */
const unclean = new WeakSet<Session>()

/**
 * When a read fails or is killed, chDB keeps the rows it has printed and prepends them to the next answer of the
 * session, which may be that of another client. So they are read and dropped first.
 */
async function readRows(session: Session, sql: string): Promise<readonly (readonly unknown[])[]> {
  const format = { format: 'JSONCompactEachRow' } as const
  if (unclean.has(session)) await session.queryAsync('SELECT 1', format)
  unclean.add(session)
  const lines = (await session.queryAsync(sql, format)).text()
  unclean.delete(session)
  // Line ends inside values are escaped: each one ends a row.
  return lines === '' ? [] : (JSON.parse(`[${lines.trimEnd().replaceAll('\n', ',')}]`) as unknown[][])
}

interface SalvageAccess {
  /** A session of its own, with the settings of reads and without their limit of time. */
  readonly open: () => Session
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>
}

/** Its session is opened when it is first needed, which is never on a sound disk. */
function salvagerOf(
  { salvage: options, directory }: ChdbEngineOptions,
  { open, alone }: SalvageAccess,
): PartSalvager | null {
  if (options === undefined) return null
  let session: Session | null = null
  const own = () => (session ??= open())
  return new PartSalvager({
    ...options,
    session: {
      select: (sql) => readRows(own(), sql),
      command: async (sql) => {
        refuseDefinitionWithoutSpace(directory, sql)
        await own().queryAsync(sql)
      },
      alone,
    },
  })
}

function openSession({ directory, memoryBytes }: ChdbEngineOptions): Session {
  try {
    return new Session(directory, {
      connectionArgs: [...CACHE_ARGUMENTS, `--max_server_memory_usage=${memoryBytes}`],
    })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'CHDB_CONNECTION')) throw error
    throw new OperatorError(
      `The store in ${directory} cannot be opened: most likely another Spoor is running on this data directory. ` +
        'Stop it, or name another folder with --data-dir. The lines above say what the engine met.',
      { cause: error },
    )
  }
}
