import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import type { RefusedLine } from '../../lib/lines/line-group.ts'
import type { InTurns } from '../../lib/work/work-turns.ts'
import { printVerdicts } from './print-verdicts.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { InputCut, type LineInput, verdictOnRest } from './line-input.ts'
import { prefers } from './media-types.ts'
import { ClientGone, ownerOf } from './request-body.ts'
import { collectVerdicts, type StoppableInput } from './verdict-collector.ts'
import { VerdictWriter } from './verdict-writer.ts'

export const NDJSON = 'application/x-ndjson'

interface Verdict {
  readonly line: number
  readonly status: string
}

export interface Judged<V extends Verdict> {
  readonly verdicts: AsyncGenerator<readonly V[]>
  readonly toWire: (verdict: V) => object
  readonly input: StoppableInput
}

/** Answers a batch: as lines, from the first verdict on, when the client asks for NDJSON; else as one JSON object at the end. */
export async function answerVerdicts<V extends Verdict>(
  request: FastifyRequest,
  reply: FastifyReply,
  { verdicts, toWire, input }: Judged<V>,
  { ingestBudget, timers, work }: HttpDependencies,
): Promise<FastifyReply> {
  const owner = ownerOf(request)
  const account = ingestBudget.account(owner)
  const inTurns: InTurns = (step) => work.steps(owner, step)
  if (prefers(request.headers.accept, NDJSON)) {
    const print = (batch: readonly V[]) => printVerdicts(batch, toWire, '\n', inTurns)
    await streamVerdicts(reply, verdicts, print, new VerdictWriter(reply.raw, account, timers))
  } else {
    const print = (batch: readonly V[]) => printVerdicts(batch, toWire, ',', inTurns)
    await collectVerdicts(reply, verdicts, print, account, input)
  }
  return reply
}

/**
 * The verdicts, then one more for whatever kept the rest of the body from being read or written. What fails before there is any verdict fails the whole
 * request, so that it gets its own status. A client that went away ends it quietly: the complete lines are kept, and there is nobody to tell.
 */
export async function* judgeAll<V extends Verdict>(
  verdicts: AsyncIterable<readonly V[]>,
  input?: Pick<LineInput, 'nextLine'>,
): AsyncGenerator<readonly (V | RefusedLine)[]> {
  let lastLine = 0
  try {
    for await (const batch of verdicts) {
      lastLine = batch.at(-1)?.line ?? lastLine
      yield batch
    }
  } catch (error) {
    if (error instanceof ClientGone) return
    if (error instanceof InputCut && input !== undefined)
      yield [verdictOnRest(input.nextLine, error.code, error.message)]
    else if (error instanceof DomainError && lastLine > 0)
      yield [verdictOnRest(lastLine + 1, error.code, error.message)]
    else throw error
  }
}

async function streamVerdicts<V>(
  reply: FastifyReply,
  judged: AsyncGenerator<readonly V[]>,
  print: (batch: readonly V[]) => Promise<string>,
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
    if (first.done === true || !(await writer.write(await print(first.value)))) return
    for await (const batch of judged) if (!(await writer.write(await print(batch)))) return
  } catch (error) {
    // Cut off, so that what was sent cannot be taken for everything.
    reply.raw.destroy()
    reply.request.log.error({ error }, 'a batch failed after verdicts were sent')
  } finally {
    writer.end()
  }
}
