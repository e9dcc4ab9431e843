import type { ClusterId, TraceId } from '@spoor/contract/ids'
import { NAME_LENGTH } from '@spoor/contract/limits'
import { OPERATIONS } from '@spoor/contract/operations'
import { FeedQuery as FeedQuerySchema } from '@spoor/contract/schemas/traces/feed-query'
import { TracePatch } from '@spoor/contract/schemas/traces/trace-patch'
import { TraceQuery } from '@spoor/contract/schemas/traces/trace-query'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import type { FeedQuery } from '../../traces/use-cases.ts'
import { principalOf } from '../access/authentication.ts'
import { controlBodyRules, intakeRules } from '../bodies/body-rules.ts'
import { readControlBody } from '../bodies/control-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { sendHeldJson } from '../connections/held-answer.ts'
import { requireMediaType } from '../bodies/media-types.ts'
import { pathId } from '../kernel/path-id.ts'
import { compileQuery, queryPairs } from '../kernel/query.ts'
import { metadataFilters, pageLimit, queryTime } from '../kernel/query-values.ts'
import { withBody } from '../bodies/request-body.ts'
import { serve } from '../kernel/route.ts'
import { toReceipt, toTraceRow } from '../../wire/to-wire.ts'
import { traceAnswer, traceParts } from '../bodies/trace-answer.ts'
import { compileValidator, invalid } from '../kernel/validate.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

export function registerTraceRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { traces, media, limits, answers } = dependencies
  const rules = intakeRules(dependencies)
  const controlRules = controlBodyRules(dependencies)
  const readQuery = compileQuery(FeedQuerySchema)
  const readTraceQuery = compileQuery(TraceQuery)
  const answer = traceAnswer(dependencies)
  const validatePatch = compileValidator(TracePatch)

  serve(app, OPERATIONS.commitTrace, async (request, reply) => {
    requireMediaType(request.headers, 'application/json')
    const { projectId } = principalOf(request)
    const idempotencyKey = readIdempotencyKey(request)
    const receipt = await withBody(request, limits.traceBodyBytes, rules, (body) =>
      traces.commit({ projectId, body, idempotencyKey }),
    )
    if (receipt.replayed) reply.header('idempotency-replayed', 'true')
    return reply.code(202).send(toReceipt(receipt))
  })

  serve(app, OPERATIONS.listTraces, async (request, reply) => {
    const query = readQuery(request.url)
    const filters = toFilters(query, queryPairs(request.url))
    const limit = pageLimit(query.limit, limits)
    return sendHeldJson(reply, answers, async () => {
      const page = await traces.list({
        projectId: principalOf(request).projectId,
        ...filters,
        sort: query.sort ?? 'created_at',
        order: query.order ?? 'desc',
        limit,
        cursor: query.cursor ?? null,
      })
      const counts = await media.countByTrace(page.traces.map(({ id }) => id))
      const rows = page.traces.map((trace) => toTraceRow(trace, counts.get(trace.id) ?? 0)).join(',')
      return `{"traces":[${rows}],"next_cursor":${JSON.stringify(page.nextCursor)}}`
    })
  })

  serve(app, OPERATIONS.getTrace, async (request, reply) => {
    const { projectId } = principalOf(request)
    const parts = traceParts(readTraceQuery(request.url).include)
    const found = await traces.read(projectId, pathId(request, 'id', 'tr'))
    return reply.type(JSON_TYPE).send(await answer(projectId, found, parts))
  })

  serve(app, OPERATIONS.patchTrace, async (request, reply) => {
    const traceId = pathId(request, 'id', 'tr')
    const { status, flagged, reason } = await readControlBody(request, controlRules, validatePatch)
    const change = { status: status ?? null, flagged: flagged ?? null, reason: reason ?? null }
    const trace = await traces.patch(principalOf(request).projectId, traceId, change)
    return reply.type(JSON_TYPE).send(toTraceRow(trace, await attachmentCount(trace.id)))
  })

  serve(app, OPERATIONS.deleteTrace, async (request, reply) => {
    await traces.delete(principalOf(request).projectId, pathId(request, 'id', 'tr'))
    return reply.code(204).send()
  })

  async function attachmentCount(traceId: TraceId): Promise<number> {
    return (await media.countByTrace([traceId])).get(traceId) ?? 0
  }
}

function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  // Sent twice, it arrives as one, joined by a comma: as good a key as any.
  if (typeof key !== 'string' || key === '' || key.length > NAME_LENGTH) {
    throw new DomainError('validation_failed', `The Idempotency-Key must have 1 to ${NAME_LENGTH} characters.`)
  }
  return key
}

type Filters = Omit<FeedQuery, 'projectId' | 'sort' | 'order' | 'limit' | 'cursor'>

function toFilters(query: FeedQuerySchema, pairs: URLSearchParams): Filters {
  const text = query.q ?? null
  if (text !== null && text.trim() === '') {
    throw invalid([{ pointer: '?q', code: 'too_short', detail: 'It must hold a word.' }])
  }
  return {
    status: query.status ?? null,
    flagged: query.flagged ?? null,
    runType: query.run_type ?? null,
    model: query.model ?? null,
    name: query.name ?? null,
    sessionId: query.session_id ?? null,
    userId: query.user_id ?? null,
    cluster: (query.cluster ?? null) as ClusterId | null,
    metadata: metadataFilters(pairs),
    startTime: queryTime('start_time', query.start_time),
    endTime: queryTime('end_time', query.end_time),
    text,
  }
}
