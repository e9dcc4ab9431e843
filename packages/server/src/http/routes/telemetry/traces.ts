import { OPERATIONS } from '@spoor/contract/operations'
import { EXPORT_BYTES } from '@spoor/contract/otlp'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { FIRST_STEPS } from '../../../ports/traces/trace-store.ts'
import { exportRules, intakeRules } from '../../bodies/read-rules.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { holdUntilClosed, sendHeldJson } from '../../connections/held-answer.ts'
import { requireMediaType } from '../../bodies/media-types.ts'
import { queryPairs } from '../../kernel/query.ts'
import { tooLarge, withBody } from '../../bodies/request-body.ts'
import type { OperationInput } from '../../kernel/operation-input.ts'
import { serve } from '../../kernel/route.ts'
import { exportHandler } from '../../otlp/export-handler.ts'
import { isExport } from '../../otlp/is-export.ts'
import { isExporter } from '../../otlp/otlp-request.ts'
import { toReceipt } from '../../../wire/to-wire.ts'
import { traceAnswer, traceParts } from '../../bodies/trace-answer.ts'
import { toFeedFilters } from './feed-filters.ts'
import { printRows, printTraces } from './print-traces.ts'

type CommitInput = OperationInput<typeof OPERATIONS.commitTrace>

const JSON_TYPE = 'application/json; charset=utf-8'

export function registerTraceRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { traces, limits, answers } = dependencies
  const ofTraces = { limitBytes: limits.traceBodyBytes, rules: intakeRules(dependencies) }
  const ofExports = { limitBytes: EXPORT_BYTES, rules: exportRules(dependencies) }
  const answer = traceAnswer(dependencies)

  const exports = exportHandler(dependencies)

  serve(
    app,
    OPERATIONS.commitTrace,
    async (input) => {
      const { request } = input
      if (request.otlp === 'protobuf') return exports.read(input)
      const isFromExporter = isExporter(request.headers)
      requireMediaType(request.headers, 'application/json')
      const { limitBytes, rules } = isFromExporter ? ofExports : ofTraces
      return withBody(request, limitBytes, rules, (body) => {
        // An error of a body that is not ours is answered as exporters expect it.
        request.otlp = isExport(body, isFromExporter) ? 'json' : null
        if (request.otlp !== null) return exports.take(input, request.otlp, body)
        if (body.length > limits.traceBodyBytes) throw tooLarge(limits.traceBodyBytes)
        return commit(input, body)
      })
    },
    { otlp: 'shared' },
  )

  async function commit({ projectId, headers, reply }: CommitInput, body: Buffer): Promise<FastifyReply> {
    // A repeated header is joined by a comma, which is a valid key.
    const idempotencyKey = headers['idempotency-key'] ?? null
    const receipt = await traces.commit({ projectId, body, idempotencyKey })
    if (receipt.replayed) reply.header('idempotency-replayed', 'true')
    return reply.code(202).send(toReceipt(receipt))
  }

  serve(app, OPERATIONS.listTraces, async ({ projectId, query, page, request, reply }) => {
    const filters = toFeedFilters(query, queryPairs(request.url))
    return sendHeldJson(reply, answers, async () => {
      const found = await traces.list({
        projectId,
        ...filters,
        sort: query.sort ?? 'created_at',
        order: query.order ?? 'desc',
        ...page,
      })
      return `{${await printTraces(dependencies, projectId, found, query.metric_values)}}`
    })
  })

  serve(app, OPERATIONS.getTrace, async ({ projectId, params, query, reply }) => {
    const parts = traceParts(query.include)
    const withSteps = parts.has('steps')
    // For the steps that opening the trace may bring along.
    const room = withSteps ? await holdUntilClosed(reply, answers, FIRST_STEPS.count * FIRST_STEPS.bodyBytes) : null
    const found = await traces.read(projectId, params.id, withSteps)
    const body = await answer(projectId, found, parts)
    // Streamed answers reserve room page by page; holding room meanwhile could block them for ever.
    room?.keep(typeof body === 'string' ? body.length : 0)
    return reply.type(JSON_TYPE).send(body)
  })

  serve(app, OPERATIONS.patchTrace, async ({ projectId, params, body, reply }) => {
    const { status, flagged, reason } = body
    const change = { status: status ?? null, flagged: flagged ?? null, reason: reason ?? null }
    const trace = await traces.patch(projectId, params.id, change)
    return reply.type(JSON_TYPE).send((await printRows(dependencies, projectId, [trace]))[0])
  })

  serve(app, OPERATIONS.deleteTrace, async ({ projectId, params, query, reply }) => {
    await traces.delete(projectId, params.id, { graceMs: 1000 * (query.grace_seconds ?? 0) })
    return reply.code(204).send()
  })

  serve(app, OPERATIONS.restoreTrace, async ({ projectId, params, reply }) => {
    const trace = await traces.restore(projectId, params.id)
    return reply.type(JSON_TYPE).send((await printRows(dependencies, projectId, [trace]))[0])
  })
}
