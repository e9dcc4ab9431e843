import { Readable } from 'node:stream'
import { OPERATIONS } from '@spoor/contract/operations'
import { EXPORT_FORMATS, type Exported } from '@spoor/contract/schemas/export-query'
import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { ByteGate } from '../../lib/flow/byte-gate.ts'
import { forCurrentRequester } from '../../lib/flow/requester.ts'
import type { SendApiRequest } from '../../mcp/api.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import { contentDisposition } from '../bodies/content-disposition.ts'
import { holdUntilClosed } from '../connections/held-answer.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { queryPairs } from '../kernel/query.ts'
import { serve } from '../kernel/route.ts'
import { sendAs } from '../kernel/send-as.ts'
import { columnsOf, readPage } from './columns.ts'
import { type Encoder, encoderOf } from './formats.ts'

const LISTS = {
  traces: OPERATIONS.listTraces,
  runs: OPERATIONS.listTraces,
  steps: OPERATIONS.searchSteps,
  events: OPERATIONS.listMetricEvents,
  series: OPERATIONS.getTraceSeries,
  audit: OPERATIONS.listAudit,
} as const satisfies Record<Exported, unknown>

const PARTS = OPERATIONS.getTraceParts

const PAGE_ROWS = 1000
/** Memory of an export, which holds a page for as long as its client takes. */
const EXPORT_BYTES = 4 * 1024 * 1024
/** Of all exports; one project alone gets half. */
const ROOM_BYTES = 32 * EXPORT_BYTES
/** How long a page that the service is too busy for is asked again. */
const BUSY = { pauseMs: 1000, tries: 60 } as const

type Page = Awaited<ReturnType<SendApiRequest>>

/**
 * An export asks the list for one page after the other, as its sender could: so it takes all filters of the list, sees
 * what the list shows, and waits its turn.
 */
export function registerExportRoute(app: FastifyInstance, { timers }: HttpDependencies): void {
  // Not the room of answers: the pages need that, and exports would wait for each other.
  const room = new ByteGate(ROOM_BYTES)

  serve(app, OPERATIONS.exportRows, async ({ request, reply, query: { what, format } }) => {
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
    if (isPaged) query.set('limit', String(PAGE_ROWS))
    const ask = () => send({ method: 'GET', path: list.path, query })
    await holdUntilClosed(reply, room, EXPORT_BYTES)
    let page = await ask()
    if (page.status !== 200) return reply.code(page.status).type('application/problem+json').send(page.body)

    let rows = 0
    let isComplete = false
    async function* file(encoder: Encoder): AsyncGenerator<Buffer> {
      yield encoder.start()
      for (;;) {
        const { rows: found, cursor } = readPage(Buffer.from(page.body), name)
        for await (const lines of what === 'runs' ? partsOf(found) : [found]) {
          rows += lines.length
          const bytes = encoder.page(lines)
          if (bytes.length > 0) yield bytes
        }
        if (cursor === null) break
        query.set('cursor', cursor)
        page = await patiently(ask)
      }
      isComplete = true
      yield encoder.end(rows)
    }

    /** Of each trace its parts; none of one that was deleted meanwhile. */
    async function* partsOf(found: readonly Buffer[]): AsyncGenerator<readonly Buffer[]> {
      for (const trace of found) {
        const path = PARTS.path.replace(':id', (JSON.parse(trace.toString()) as { id: string }).id)
        for (let after: string | null = null; ;) {
          const asked = new URLSearchParams(after === null ? [] : [['cursor', after]])
          const answer = await patiently(() => send({ method: 'GET', path, query: asked }), [404])
          if (answer.status === 404) break
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
    const encoder = await encoderOf(format, columnsOf(row))
    return reply.send(Readable.from(forCurrentRequester(file(encoder)), { objectMode: false, highWaterMark: 1 }))
  })

  async function patiently(ask: () => Promise<Page>, others: readonly number[] = []): Promise<Page> {
    for (let tries = 1; ; tries++) {
      const page = await ask()
      if (page.status === 200 || others.includes(page.status)) return page
      if (tries === BUSY.tries || (page.status !== 503 && page.status !== 429)) {
        throw new Error(`an export broke off: its list answered ${page.status}: ${page.body}`)
      }
      await new Promise<void>((resolve) => timers.after(BUSY.pauseMs, resolve))
    }
  }
}

/** The member of the answer that is a list of rows, and the schema of one. */
function shapeOf({ responses, query }: (typeof LISTS)[Exported]): { name: string; row: TSchema; isPaged: boolean } {
  const { properties } = responses[200].content['application/json']
  for (const [name, { items }] of Object.entries(properties as Record<string, TSchema & { items?: TSchema }>)) {
    if (items !== undefined && 'properties' in items) return { name, row: items, isPaged: 'cursor' in query.properties }
  }
  throw new Error('the answer has no list of rows')
}
