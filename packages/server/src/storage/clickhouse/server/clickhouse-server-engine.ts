import { randomUUID } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { constants, zstdCompress } from 'node:zlib'
import { type ClickHouseClient, drainStream, parseError } from '@clickhouse/client'
import { DomainError } from '../../../lib/domain-error.ts'
import { currentRequester, signalOf } from '../../../lib/flow/requester.ts'
import { INSERT_SETTINGS, LONGEST_READ_SECONDS, LONGEST_STATEMENT } from '../engine/engine-settings.ts'
import { storeUnavailable } from '../../store-failure.ts'
import { toReadFailure } from '../engine/read-failure.ts'
import { ReadQueue } from '../engine/read-queue.ts'
import { isBrokenConnection, openClient, type ServerAddress, ServerError, toServerError } from './server-connection.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

export interface ClickHouseServerOptions extends ServerAddress {
  readonly database: string
  /** Number of reads of this process that run at the same time. */
  readonly readers: number
  /**
   * Called with the cause of each read that failed because the server is away or lacks time, memory or disk. The caller
   * gets DomainError `storage_unavailable`.
   */
  readonly onReadError?: (error: unknown) => void
}

/** The server ends a read after LONGEST_READ_SECONDS and says so; the rest is for the way there and back. */
const READ_TIMEOUT_MS = LONGEST_READ_SECONDS * 1000 + 5000
/** The insert is repeated then; so its batch must have a name. */
const INSERT_TIMEOUT_MS = 60_000
/** Migrations rewrite tables. */
const COMMAND_TIMEOUT_MS = 30 * 60_000
const WRITERS = 8
const compress = promisify(zstdCompress)
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** Waits before a read is sent again whose connection failed before the answer began, milliseconds. */
const READ_RETRIES_MS = [20, 200]

/**
 * `readonly = 2` is what lets the server end a read whose connection closes; it still allows settings in a statement.
 */
const READ_SETTINGS = {
  readonly: '2',
  cancel_http_readonly_queries_on_client_close: 1,
  max_execution_time: LONGEST_READ_SECONDS,
  max_query_size: String(LONGEST_STATEMENT),
  output_format_json_quote_64bit_integers: 0,
  // As in the embedded engine.
  use_top_k_dynamic_filtering: 0,
  read_in_order_use_buffering: 0,
  // Of `Distributed` tables: all rows of a trace are on one shard, so a subquery needs only the rows of its shard.
  distributed_product_mode: 'local',
  // A read of one trace needs only its shard. Half an answer would look like a whole one.
  optimize_skip_unused_shards: 1,
  skip_unavailable_shards: 0,
} as const

/** The answer begins when everything has been done, so that it has the failure if there is one. */
const WRITE_SETTINGS = { wait_end_of_query: 1, max_query_size: String(LONGEST_STATEMENT) } as const

/** A ClickHouse server, a Cloud service or one server of a cluster, over HTTP. Does not connect before it is used. */
export function openClickHouseServer(options: ClickHouseServerOptions): TelemetryEngine {
  const { database, readers: count } = options
  const reading = openClient(options, { database, requestTimeoutMs: READ_TIMEOUT_MS, mostConnections: count })
  const writing = openClient(options, { database, requestTimeoutMs: COMMAND_TIMEOUT_MS, mostConnections: WRITERS })
  const slots = new ReadQueue(Array.from({ length: count }, () => null))
  const running = new Set<Promise<unknown>>()
  const tracked = <T>(work: Promise<T>): Promise<T> => {
    running.add(work)
    return work.finally(() => running.delete(work))
  }
  const select = async <A, T>(send: Send<A>, take: Take<A, T>) => {
    const requester = currentRequester()
    const gone = signalOf(requester)
    try {
      return await slots.use(requester, () => readAgain(send, take, gone))
    } catch (error) {
      gone?.throwIfAborted()
      const failure = error instanceof DomainError ? error : toFailure(error)
      if (failure !== error && failure instanceof DomainError) options.onReadError?.(failure)
      throw failure
    }
  }
  return {
    select: (sql) => tracked(select(sendRead(reading, sql), rowsOf)),
    selectParquet: (sql) => tracked(select(sendParquet(reading, sql), bytesOf)),
    command: (sql) => tracked(run(writing, sql)),
    insert: (table, rows, batch) => tracked(insert(writing, table, rows, batch)),
    async close() {
      while (running.size > 0) await Promise.allSettled(running)
      await Promise.all([reading.close(), writing.close()])
    },
  }
}

/** Whatever the server did not answer itself means that it cannot be reached. */
function toFailure(error: unknown): unknown {
  if (error instanceof ServerError) return toReadFailure(error)
  return storeUnavailable(error, 'The store cannot be reached now.')
}

type Rows = readonly (readonly unknown[])[]
type Send<Answer> = (signal: AbortSignal) => Promise<Answer>
type Take<Answer, T> = (answer: Answer, signal: AbortSignal) => Promise<T>

function sendRead(client: ClickHouseClient, query: string) {
  const options = { query, format: 'JSONCompactEachRow', clickhouse_settings: READ_SETTINGS } as const
  return (signal: AbortSignal) => client.query({ ...options, abort_signal: signal })
}

/** The server sends the file when it is complete, so that a failure is its answer. */
function sendParquet(client: ClickHouseClient, sql: string) {
  const options = {
    query: `${sql} FORMAT Parquet`,
    clickhouse_settings: { ...READ_SETTINGS, wait_end_of_query: 1 as const },
  }
  return (signal: AbortSignal) => client.exec({ ...options, decompress_response_stream: true, abort_signal: signal })
}

/** A read changes nothing, so it may be repeated. */
async function readAgain<Answer, T>(send: Send<Answer>, take: Take<Answer, T>, gone: AbortSignal | null): Promise<T> {
  const late = AbortSignal.timeout(READ_TIMEOUT_MS)
  const signal = gone === null ? late : AbortSignal.any([gone, late])
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    const wait = READ_RETRIES_MS[tries]
    const answer = await send(signal).catch((error: unknown) => {
      if (wait === undefined || !isBrokenConnection(error)) throw toServerError(error)
      return null
    })
    if (answer !== null) return await take(answer, signal)
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

async function bytesOf({ stream }: { readonly stream: Readable }, signal: AbortSignal): Promise<Buffer> {
  return buffer(addAbortSignal(signal, stream))
}

async function rowsOf(answer: Awaited<ReturnType<ClickHouseClient['query']>>, signal: AbortSignal): Promise<Rows> {
  // The client ignores the signal once the answer has begun.
  const close = () => answer.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    signal.throwIfAborted()
    const lines = await answer.text()
    throwIfFailed(lines, answer.response_headers['x-clickhouse-exception-tag'])
    // Line ends inside values are escaped, so each line end ends a row.
    return lines === '' ? [] : (JSON.parse(`[${lines.trimEnd().replaceAll('\n', ',')}]`) as unknown[][])
  } finally {
    signal.removeEventListener('abort', close)
  }
}

/**
 * A read that fails after its first rows ends with the error between two marks. The tag is random, so no stored text
 * can look like it.
 */
function throwIfFailed(lines: string, tag: string | string[] | undefined): void {
  if (!lines.endsWith('__exception__\r\n') || typeof tag !== 'string') return
  const at = lines.lastIndexOf(`__exception__\r\n${tag}\r\n`)
  if (at !== -1) throw toServerError(parseError(lines.slice(at)))
}

async function run(client: ClickHouseClient, sql: string): Promise<void> {
  try {
    await client.command({ query: sql, clickhouse_settings: WRITE_SETTINGS })
  } catch (error) {
    throw toServerError(error)
  }
}

async function insert(client: ClickHouseClient, table: string, rows: Buffer, batch: string | undefined): Promise<void> {
  try {
    // The client would compress in parts of 16 KB, each with a turn of the event loop and a write.
    const compressed = await compress(rows, FAST)
    const { stream } = await client.exec({
      query: `INSERT INTO ${table} FORMAT JSONEachRow`,
      values: Readable.from([compressed], { objectMode: false }),
      http_headers: { 'content-encoding': 'zstd' },
      abort_signal: AbortSignal.timeout(INSERT_TIMEOUT_MS),
      clickhouse_settings: {
        ...WRITE_SETTINGS,
        ...INSERT_SETTINGS,
        distributed_foreground_insert: 1,
        async_insert: 0,
        insert_deduplicate: 1,
        // Without a name the server compares contents: then rows inserted again after their deletion would be missing.
        insert_deduplication_token: batch ?? randomUUID(),
      },
    })
    await drainStream(stream)
  } catch (error) {
    throw toServerError(error)
  }
}
