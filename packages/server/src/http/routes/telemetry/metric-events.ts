import type { ErrorCode } from '@spoor/contract/errors'
import type { ProjectId } from '@spoor/contract/ids'
import { OPERATIONS } from '@spoor/contract/operations'
import { OTEL_TRACE_ID } from '@spoor/contract/otlp'
import type { MetricEventQuery } from '@spoor/contract/schemas/metrics/metric-event-query'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { FastifyInstance } from 'fastify'
import { DomainError } from '../../../lib/domain-error.ts'
import type { MetricEventListQuery } from '../../../metrics/use-cases.ts'
import { answerVerdicts, withVerdictOnRest, NDJSON } from '../../bodies/answer-verdicts.ts'
import { intakeRules, linesRules } from '../../bodies/read-rules.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { sendHeldJson } from '../../connections/held-answer.ts'
import { LineInput } from '../../bodies/line-input.ts'
import { prefers, requireMediaType } from '../../bodies/media-types.ts'
import { toEventLineResult, toMetricEvent } from '../../../wire/metric-to-wire.ts'
import { queryPairs } from '../../kernel/query.ts'
import { metadataFilters } from '../../kernel/query-values.ts'
import { admittedChunks, withBody } from '../../bodies/request-body.ts'
import type { WithTimes } from '../../kernel/request-times.ts'
import { serve } from '../../kernel/route.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

export function registerMetricEventRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { metrics, traces, limits, answers } = dependencies
  const rules = intakeRules(dependencies)
  const ofLines = linesRules(dependencies)

  serve(app, OPERATIONS.recordMetricEvents, async ({ principal, headers, request, reply }) => {
    if (requireMediaType(request.headers, 'application/json', NDJSON) === NDJSON) {
      const lines = admittedChunks(request.raw, limits.ndjsonRequestBytes, ofLines)
      const input = new LineInput(prefers(headers.accept, NDJSON) ? Infinity : limits.linesPerJsonResponse)
      const chunks = input.read(lines)
      const verdicts = withVerdictOnRest(metrics.recordLines(principal, chunks), input)
      return answerVerdicts(request, reply, { verdicts, toWire: toEventLineResult, input }, dependencies)
    }
    return withBody(request, limits.metricBatchBytes, rules, async (body) => {
      const recorded = await metrics.record(principal, body)
      if (recorded.kind === 'event') {
        if (recorded.replayed) reply.header('idempotency-replayed', 'true')
        return reply
          .code(recorded.replayed ? 200 : 201)
          .type(JSON_TYPE)
          .send(toMetricEvent(recorded))
      }
      const input = { stop: (code: ErrorCode, detail: string) => recorded.stop(new DomainError(code, detail)) }
      const verdicts = withVerdictOnRest(recorded.verdicts)
      return answerVerdicts(request, reply, { verdicts, toWire: toEventLineResult, input }, dependencies)
    })
  })

  serve(app, OPERATIONS.deleteMetricEvent, async ({ principal, params, reply }) => {
    await metrics.remove(principal, params.id)
    return reply.code(204).send()
  })

  serve(app, OPERATIONS.listMetricEvents, async ({ projectId, query, page, request, reply }) => {
    const { trace_id: traceName = null } = query
    const otelTrace = traceName !== null && OTEL_TRACE_ID.test(traceName)
    const filters = {
      projectId,
      name: query.name ?? null,
      // An unknown trace has no events.
      traceId: otelTrace ? ((await traces.findOtelTrace(projectId, traceName)) ?? traceName) : traceName,
      stepId: query.step_id ?? null,
      source: query.source ?? null,
      ...toTraceFilters('events', query),
      metadata: metadataFilters(queryPairs(request.url)),
      startTime: query.start_time ?? null,
      endTime: query.end_time ?? null,
      passing: passing(projectId, query),
      ...page,
    }
    return sendHeldJson(reply, answers, async () => {
      const { events, nextCursor } = await metrics.listEvents(filters)
      return `{"events":[${events.map(toMetricEvent).join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`
    })
  })

  /** The filters of traces that events do not pass themselves. */
  function passing(projectId: ProjectId, query: WithTimes<typeof MetricEventQuery>): MetricEventListQuery['passing'] {
    const { trace_name: name, not_trace_name: not_name, q: text = null } = query
    const own = { run_type: null, not_run_type: null, model: null, not_model: null }
    const filters = toTraceFilters('lists', { ...query, ...own, name, not_name })
    if (text === null && Object.values(filters).every((value) => value === null)) return null
    const asked = { ...filters, projectId, metadata: [], startTime: null, endTime: null, text }
    return (traceIds) => traces.matching(asked, traceIds)
  }
}
