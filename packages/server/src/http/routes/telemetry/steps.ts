import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance } from 'fastify'
import { costOfStep } from '../../../pricing/trace-cost.ts'
import { answerVerdicts, withVerdictOnRest, NDJSON } from '../../bodies/answer-verdicts.ts'
import { linesRules } from '../../bodies/read-rules.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { sendHeldJson } from '../../connections/held-answer.ts'
import { prefers, requireMediaType } from '../../bodies/media-types.ts'
import { LineInput } from '../../bodies/line-input.ts'
import { admittedChunks } from '../../bodies/request-body.ts'
import { queryPairs } from '../../kernel/query.ts'
import { serve } from '../../kernel/route.ts'
import { withAttachments } from '../../bodies/step-attachments.ts'
import { toStep, toStepRow } from '../../../wire/step-to-wire.ts'
import { toFeedFilters } from './feed-filters.ts'
import { toLineResult } from '../../../wire/to-wire.ts'

export function registerStepRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { traces, searchSteps, media, prices, limits, answers } = dependencies
  const rules = linesRules(dependencies)

  serve(app, OPERATIONS.appendSteps, async ({ projectId, params, headers, request, reply }) => {
    requireMediaType(request.headers, NDJSON)
    const body = admittedChunks(request.raw, limits.ndjsonRequestBytes, rules)
    const input = new LineInput(prefers(headers.accept, NDJSON) ? Infinity : limits.linesPerJsonResponse)
    const chunks = input.read(body)
    const verdicts = await traces.append({ projectId, traceId: params.id, chunks })
    return answerVerdicts(
      request,
      reply,
      { verdicts: withVerdictOnRest(verdicts, input), toWire: toLineResult, input },
      dependencies,
    )
  })

  serve(app, OPERATIONS.searchSteps, async ({ projectId, query, page, request, reply }) => {
    const { sort = 'created_at', order = 'desc', ...filters } = query
    const asked = { projectId, ...toFeedFilters(filters, queryPairs(request.url)), sort, order, ...page }
    return sendHeldJson(reply, answers, async () => {
      const found = await searchSteps(asked)
      const price = await prices.pricer(projectId)
      const rows = found.steps.map((one) => toStepRow(one, costOfStep(price, prices.contextLimit, one.step)))
      return JSON.stringify({ steps: rows, next_cursor: found.nextCursor })
    })
  })

  serve(app, OPERATIONS.findStep, async ({ projectId, params }) => {
    const { id } = params
    return { id, trace_id: await traces.findStep(projectId, id) }
  })

  serve(app, OPERATIONS.listSteps, async ({ projectId, params, page: range, reply }) => {
    const query = { projectId, traceId: params.id, ...range }
    return sendHeldJson(reply, answers, async () => {
      const page = await traces.listSteps(query)
      const steps = await withAttachments(media, query.traceId, page.steps)
      const price = await prices.pricer(query.projectId)
      const texts = steps.map((found) =>
        toStep(found, costOfStep(price, prices.contextLimit, found.step), page.countedOn.get(found.step.id)),
      )
      return `{"steps":[${texts.join(',')}],"next_cursor":${JSON.stringify(page.nextCursor)}}`
    })
  })
}
