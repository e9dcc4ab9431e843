import { OPERATIONS } from '@spoor/contract/operations'
import { ListQuery } from '@spoor/contract/schemas/list-query'
import type { FastifyInstance } from 'fastify'
import { TraceCost } from '../../pricing/trace-cost.ts'
import { answerVerdicts, judgeAll, NDJSON } from '../bodies/answer-verdicts.ts'
import { principalOf } from '../access/authentication.ts'
import { linesRules } from '../bodies/body-rules.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { sendHeldJson } from '../connections/held-answer.ts'
import { prefers, requireMediaType } from '../bodies/media-types.ts'
import { LineInput } from '../bodies/line-input.ts'
import { pathId } from '../kernel/path-id.ts'
import { compileQuery } from '../kernel/query.ts'
import { pageLimit } from '../kernel/query-values.ts'
import { admitBody, bodyChunks } from '../bodies/request-body.ts'
import { serve } from '../kernel/route.ts'
import { withAttachments } from '../bodies/step-attachments.ts'
import { toStep } from '../../wire/step-to-wire.ts'
import { toLineResult } from '../../wire/to-wire.ts'

export function registerStepRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { traces, media, prices, limits, answers } = dependencies
  const rules = linesRules(dependencies)
  const readQuery = compileQuery(ListQuery)

  serve(app, OPERATIONS.appendSteps, async (request, reply) => {
    requireMediaType(request.headers, NDJSON)
    const traceId = pathId(request, 'id', 'tr')
    admitBody(request.raw, limits.ndjsonRequestBytes, rules)
    const input = new LineInput(prefers(request.headers.accept, NDJSON) ? Infinity : limits.linesPerJsonResponse)
    const chunks = input.read(bodyChunks(request.raw, rules))
    const verdicts = await traces.append({ projectId: principalOf(request).projectId, traceId, chunks })
    return answerVerdicts(
      request,
      reply,
      { verdicts: judgeAll(verdicts, input), toWire: toLineResult, input },
      dependencies,
    )
  })

  serve(app, OPERATIONS.listSteps, async (request, reply) => {
    const { limit, cursor } = readQuery(request.url)
    const query = {
      projectId: principalOf(request).projectId,
      traceId: pathId(request, 'id', 'tr'),
      limit: pageLimit(limit, limits),
      cursor: cursor ?? null,
    }
    return sendHeldJson(reply, answers, async () => {
      const page = await traces.listSteps(query)
      const steps = await withAttachments(media, query.traceId, page.steps)
      const cost = new TraceCost(await prices.pricer(query.projectId))
      const texts = steps.map((step) => toStep(step, cost.add(step.step)))
      return `{"steps":[${texts.join(',')}],"next_cursor":${JSON.stringify(page.nextCursor)}}`
    })
  })
}
