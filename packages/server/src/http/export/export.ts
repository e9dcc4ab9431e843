import { Readable } from 'node:stream'
import { type ErrorCode, ERRORS } from '@spoor/contract/errors'
import { OPERATIONS } from '@spoor/contract/operations'
import { EXPORT_FORMATS, type Exported } from '@spoor/contract/schemas/export-query'
import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { DomainError } from '../../lib/domain-error.ts'
import { ByteGate } from '../../lib/flow/byte-gate.ts'
import { forCurrentRequester } from '../../lib/flow/requester.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { SendApiRequest } from '../../mcp/api.ts'
import type { RowGroupPlace, TraceRowGroup } from '../../traces/read/trace-row-groups.ts'
import { contentDisposition } from '../bodies/content-disposition.ts'
import { holdUntilClosed } from '../connections/held-answer.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { compileQuery, queryPairs } from '../kernel/query.ts'
import { serve } from '../kernel/route.ts'
import { sendAs } from '../kernel/send-as.ts'
import { toFeedFilters } from '../routes/telemetry/feed-filters.ts'
import { columnsOf, readPage } from './columns.ts'
import type { Encoder, Join } from './encoder.ts'
import { encoderOf } from './formats.ts'

const LISTS = {
  traces: OPERATIONS.listTraces,
  runs: OPERATIONS.listTraces,
  steps: OPERATIONS.searchSteps,
  events: OPERATIONS.listMetricEvents,
  series: OPERATIONS.getTraceSeries,
  step_series: OPERATIONS.getStepSeries,
  audit: OPERATIONS.listAudit,
} as const satisfies Record<Exported, unknown>

const PAGE_ROWS = 1000
/** Memory of an export, which holds two pages or two row groups for as long as its client takes. */
const EXPORT_BYTES = 8 * 1024 * 1024
/** Of all exports; one project alone gets half. */
const ROOM_BYTES = 16 * EXPORT_BYTES
/** How long rows that the service is too busy for are asked for again. */
const BUSY = { pauseMs: 1000, tries: 60 } as const

/**
 * An export asks the list for one page after the other, as its sender could: so it takes all filters of the list, sees
 * what the list shows, and waits its turn. The engine itself writes traces as Parquet, in the order of their creation;
 * then the list of one trace is requested with each further row group, so that a revoked key ends the export.
 */
export function registerExportRoute(app: FastifyInstance, { timers, readTraceRowGroup }: HttpDependencies): void {
  // Not the room of answers: the pages need that, and exports would wait for each other.
  const room = new ByteGate(ROOM_BYTES)

  serve(app, OPERATIONS.exportRows, async ({ request, reply, projectId, query: { what, format } }) => {
    if (what === 'runs' && format !== 'jsonl') {
      throw invalid({
        pointer: '?format',
        code: 'invalid_value',
        detail: 'Whole traces are exported as `jsonl` alone.',
      })
    }
    const list = LISTS[what]
    const { name, row, isPaged } = shapeOf(list)
    const send = sendAs(request, app)
    const query = queryPairs(request.url)
    for (const own of ['what', 'format']) query.delete(own)
    const printed = what === 'traces' && format === 'parquet' ? printedTraces(query) : null
    if (isPaged) query.set('limit', String(printed === null ? PAGE_ROWS : 1))
    const ask = () => send({ method: 'GET', path: list.path, query })
    await holdUntilClosed(reply, room, EXPORT_BYTES)
    const first = await ask()
    if (first.status !== 200) {
      if (first.retryAfter !== null) reply.header('retry-after', first.retryAfter)
      return reply.code(first.status).type('application/problem+json').send(first.body)
    }

    const listed = async () => requireSuccess(await ask())
    let rows = 0
    let isComplete = false
    async function* pages({ page: print }: Encoder): AsyncGenerator<Buffer> {
      for (let page = first; ;) {
        const { rows: found, cursor } = readPage(Buffer.from(page.body), name)
        if (cursor !== null) query.set('cursor', cursor)
        // The engine reads the next one while this one is encoded and sent.
        const next: Promise<Page> | null = cursor === null ? null : patiently(listed)
        // The await below reports it.
        next?.catch(() => undefined)
        for await (const lines of what === 'runs' ? partsOf(found) : [found]) {
          rows += lines.length
          const bytes = print(lines)
          if (bytes.length > 0) yield bytes
        }
        if (next === null) return
        page = await next
      }
    }
    async function* rowGroups(filters: PrintedTraces, join: Join): AsyncGenerator<Buffer> {
      const read = async (place: RowGroupPlace | null) => {
        const group = patiently(() => readTraceRowGroup({ projectId, ...filters }, place))
        await Promise.all([group, place === null ? null : patiently(listed)])
        return group
      }
      for (let group = await read(null); ;) {
        // The engine writes the next one while this one is sent.
        const next: Promise<TraceRowGroup> | null = group.next === null ? null : read(group.next)
        // The await below reports it.
        next?.catch(() => undefined)
        if (group.file !== null) {
          const joined = join(group.file)
          rows += joined.rows
          yield joined.bytes
        }
        if (next === null) return
        group = await next
      }
    }
    async function* file(): AsyncGenerator<Buffer> {
      const encoder = await encoderOf(format, columnsOf(row))
      yield encoder.start()
      yield* printed === null || encoder.join === undefined ? pages(encoder) : rowGroups(printed, encoder.join)
      isComplete = true
      yield encoder.end(rows)
    }

    async function partsAt(path: string, asked: URLSearchParams): Promise<Page | null> {
      const answer = await send({ method: 'GET', path, query: asked })
      return answer.status === 404 ? null : requireSuccess(answer)
    }

    /** Of each trace its parts; none of one that was deleted meanwhile. */
    async function* partsOf(found: readonly Buffer[]): AsyncGenerator<readonly Buffer[]> {
      for (const trace of found) {
        const path = OPERATIONS.getTraceParts.path.replace(':id', (JSON.parse(trace.toString()) as { id: string }).id)
        for (let after: string | null = null; ;) {
          const asked = new URLSearchParams(after === null ? [] : [['cursor', after]])
          const answer = await patiently(() => partsAt(path, asked))
          if (answer === null) break
          const parts = readPage(Buffer.from(answer.body), 'parts')
          yield parts.rows
          if (parts.cursor === null) break
          after = parts.cursor
        }
      }
    }

    reply.header('content-disposition', contentDisposition('attachment', `spoor-${what}.${format}`))
    reply.type(format === 'parquet' ? EXPORT_FORMATS.parquet : `${EXPORT_FORMATS[format]}; charset=utf-8`)
    if (format !== 'jsonl') {
      reply.trailer('x-export-rows', (_reply, _payload, done) => done(null, isComplete ? String(rows) : ''))
    }
    return reply.send(Readable.from(forCurrentRequester(file()), { objectMode: false, highWaterMark: 1 }))
  })

  async function patiently<T>(read: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await read()
      } catch (error) {
        if (tries === BUSY.tries || !isBusy(error)) throw error
      }
      await new Promise<void>((resolve) => timers.after(BUSY.pauseMs, resolve))
    }
  }
}

type Page = Awaited<ReturnType<SendApiRequest>>

function requireSuccess(answer: Page): Page {
  if (answer.status === 200) return answer
  const { code, detail } = JSON.parse(answer.body) as { readonly code: ErrorCode; readonly detail: string }
  throw new DomainError(code, detail)
}

function isBusy(error: unknown): boolean {
  const status = error instanceof DomainError ? ERRORS[error.code].status : null
  return status === 503 || status === 429
}

const readTraceQuery = compileQuery(OPERATIONS.listTraces.query)

type PrintedTraces = NonNullable<ReturnType<typeof printedTraces>>

/** The filters of the traces if the engine can write them: by creation, with no other column. Else null. */
function printedTraces(query: URLSearchParams) {
  const { sort = 'created_at', order = 'desc', metric_values, ...asked } = readTraceQuery(`?${query.toString()}`)
  const others = [metric_values, asked.q, asked.cluster, asked.cursor]
  if (sort !== 'created_at' || others.some((one) => one !== undefined)) return null
  return { ...toFeedFilters(asked, query), order }
}

/** The member of the answer that is a list of rows, and the schema of one. */
function shapeOf({ responses, query }: (typeof LISTS)[Exported]): { name: string; row: TSchema; isPaged: boolean } {
  const { properties } = responses[200].content['application/json']
  for (const [name, { items }] of Object.entries(properties as Record<string, TSchema & { items?: TSchema }>)) {
    if (items !== undefined && 'properties' in items) return { name, row: items, isPaged: 'cursor' in query.properties }
  }
  throw new Error('the answer has no list of rows')
}
