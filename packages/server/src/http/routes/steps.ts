import { OPERATIONS } from '@spoor/contract/operations'
import { ListQuery } from '@spoor/contract/schemas/list-query'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { TraceCost } from '../../pricing/trace-cost.ts'
import type { LineVerdict } from '../../traces/use-cases.ts'
import { principalOf } from '../authentication.ts'
import { bodyRules } from '../body-rules.ts'
import type { HttpDependencies } from '../dependencies.ts'
import { sendHeldJson } from '../held-answer.ts'
import { prefers, requireMediaType } from '../media-types.ts'
import { pathId } from '../path-id.ts'
import { compileQuery } from '../query.ts'
import { pageLimit } from '../query-values.ts'
import { bodyChunks, ClientGone, refuseAnnouncedLength } from '../request-body.ts'
import { serve } from '../route.ts'
import { withAttachments } from '../step-attachments.ts'
import { InputCut, StepInput, verdictOnRest } from '../step-input.ts'
import { toStep } from '../step-to-wire.ts'
import { collectVerdicts } from '../verdict-collector.ts'
import { VerdictWriter } from '../verdict-writer.ts'

const NDJSON = 'application/x-ndjson'

export function registerStepRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { traces, media, prices, limits, ingestBudget, answers, timers } = dependencies
  const rules = bodyRules(dependencies)
  const readQuery = compileQuery(ListQuery)

  serve(app, OPERATIONS.appendSteps, async (request, reply) => {
    requireMediaType(request.headers, NDJSON)
    const traceId = pathId(request, 'id', 'tr')
    refuseAnnouncedLength(request.raw, limits.ndjsonRequestBytes)
    const streams = prefers(request.headers.accept, NDJSON)
    const input = new StepInput(streams ? Infinity : limits.linesPerJsonResponse)
    const chunks = input.read(bodyChunks(request.raw, rules))
    const verdicts = await traces.append({ projectId: principalOf(request).projectId, traceId, chunks })
    const judged = judgeAll(verdicts, input)
    if (streams) await streamVerdicts(reply, judged, new VerdictWriter(reply.raw, ingestBudget, timers))
    else await collectVerdicts(reply, judged, ingestBudget, input)
    return reply
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
      const cost = new TraceCost(prices.pricer(query.projectId))
      const texts = steps.map((step) => toStep(step, cost.add(step.step)))
      return `{"steps":[${texts.join(',')}],"next_cursor":${JSON.stringify(page.nextCursor)}}`
    })
  })
}

/**
 * The verdicts, then one more for whatever kept the rest of the body from being read or written. What fails before there is any verdict fails the whole
 * request, so that it gets its own status. A client that went away ends it quietly: the complete lines are kept, and there is nobody to tell.
 */
async function* judgeAll(
  verdicts: AsyncIterable<readonly LineVerdict[]>,
  input: StepInput,
): AsyncGenerator<readonly LineVerdict[]> {
  let lastLine = 0
  try {
    for await (const batch of verdicts) {
      lastLine = batch.at(-1)?.line ?? lastLine
      yield batch
    }
  } catch (error) {
    if (error instanceof ClientGone) return
    if (error instanceof InputCut) yield [verdictOnRest(input.nextLine, error.code, error.message)]
    else if (error instanceof DomainError && lastLine > 0)
      yield [verdictOnRest(lastLine + 1, error.code, error.message)]
    else throw error
  }
}

/** Answers as lines, from the first verdict on. */
async function streamVerdicts(
  reply: FastifyReply,
  judged: AsyncGenerator<readonly LineVerdict[]>,
  writer: VerdictWriter,
): Promise<void> {
  // A failure without any verdict is still answered as a problem.
  const first = await judged.next()
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': NDJSON,
    'cache-control': 'no-store',
  })
  try {
    if (first.done === true || !(await writer.write(first.value))) return
    for await (const batch of judged) if (!(await writer.write(batch))) return
  } catch (error) {
    // Cut off, so that what was sent cannot be taken for everything.
    reply.raw.destroy()
    reply.request.log.error({ error }, 'step append failed after verdicts were sent')
  } finally {
    writer.release()
    reply.raw.end()
  }
}
