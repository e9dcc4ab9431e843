import type { FastifyReply, FastifyRequest } from 'fastify'
import type { InTurns } from '../../lib/flow/work-turns.ts'
import { DomainError } from '../../lib/domain-error.ts'
import type { RefusedLine } from '../../lib/lines/line-group.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { InputCut, type LineInput, verdictOnRest } from './line-input.ts'
import { prefers } from './media-types.ts'
import { ClientGone, ownerOf } from './request-body.ts'
import { collectVerdicts, type StoppableInput } from './verdict-collector.ts'
import { VerdictWriter } from './verdict-writer.ts'

/** Printed in one step of about 50 µs, compared with which reading the clock is cheap. */
const STEP_VERDICTS = 50

export const NDJSON = 'application/x-ndjson'

interface Verdict {
  readonly line: number
  readonly status: string
}

export interface BatchVerdicts<V extends Verdict> {
  readonly verdicts: AsyncGenerator<readonly V[]>
  readonly toWire: (verdict: V) => object
  readonly input: StoppableInput
}

/** Answers a batch: as a stream of lines if the client requests NDJSON, otherwise as one JSON object at the end. */
export async function answerVerdicts<V extends Verdict>(
  request: FastifyRequest,
  reply: FastifyReply,
  { verdicts, toWire, input }: BatchVerdicts<V>,
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
 * The verdicts, then one more if the rest of the body could not be read or written. An error before the first verdict
 * fails the whole request, so that it gets its own status. If the client disconnects, the iteration ends without an
 * error: its complete lines are recorded.
 */
export async function* withVerdictOnRest<V extends Verdict>(
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
  verdicts: AsyncGenerator<readonly V[]>,
  print: (batch: readonly V[]) => Promise<string>,
  writer: VerdictWriter,
): Promise<void> {
  // An error before the first verdict is still answered as a problem.
  const first = await verdicts.next()
  reply.hijack()
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': NDJSON,
    'cache-control': 'no-store',
  })
  try {
    if (first.done === true || !(await writer.write(await print(first.value)))) return
    for await (const batch of verdicts) if (!(await writer.write(await print(batch)))) return
  } catch (error) {
    // Break the connection, so that the client knows that the answer is incomplete.
    reply.raw.destroy()
    reply.request.log.error({ error }, 'a batch failed after verdicts were sent')
  } finally {
    writer.end()
  }
}

/** The verdicts as JSON texts, each followed by `end`. A group of thousands is printed in turns (WorkTurns). */
async function printVerdicts<V>(
  verdicts: readonly V[],
  toWire: (verdict: V) => object,
  end: string,
  inTurns: InTurns,
): Promise<string> {
  let text = ''
  let printed = 0
  await inTurns(() => {
    for (const verdict of verdicts.slice(printed, printed + STEP_VERDICTS))
      text += JSON.stringify(toWire(verdict)) + end
    printed += STEP_VERDICTS
    return printed < verdicts.length
  })
  return text
}
