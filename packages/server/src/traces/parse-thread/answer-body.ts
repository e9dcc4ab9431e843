import type { Limits } from '@spoor/contract/limits'
import { DomainError } from '../../lib/domain-error.ts'
import { valueOf } from '../../lib/validation/refusal.ts'
import { type FindMedia, parseLinked } from '../intake/linkable-media.ts'
import { parseStep } from '../intake/parse-step.ts'
import { parseTrace } from '../intake/parse-trace.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import type { FromThread, Holds, PackedStep, Parsed, ToThread } from './messages.ts'

/** Sends a message and resolves with the one that answers it. `given` is memory that goes with it. */
export type Ask = (message: FromThread, given?: readonly ArrayBuffer[]) => Promise<ToThread>

type ParseRequest = Extract<ToThread, { kind: 'parse' }>

/** One message of steps is about this long: what the service can unpack in a millisecond or two. */
const MOST_STEPS = 250
const MOST_TEXT = 256 * 1024

/** Parses one body and hands it over piece by piece. Resolves with the request that follows. */
export async function answerBody(request: ParseRequest, ask: Ask): Promise<ToThread> {
  let parsed: Parsed
  try {
    parsed = await parse(request, ask)
  } catch (error) {
    if (!(error instanceof DomainError)) return ask({ kind: 'failed', stack: stackOf(error) })
    return ask({ kind: 'refused', code: error.code, detail: error.message, errors: error.errors })
  }
  const { steps, trace } = parsed
  const bodies = new Uint8Array(steps.reduce((sum, { body }) => sum + body.length, 0))
  const packed = pack(steps, bodies)
  const sent = trace === null ? null : { ...trace, metadata: ownCopy(trace.metadata) }
  await ask({ kind: 'parsed', trace: sent, bodies }, [bodies.buffer])
  for (let at = 0; ;) {
    const part = nextPart(packed, at)
    at += part.length
    const last = at === packed.length
    const reply = await ask({ kind: 'steps', steps: part, last })
    if (last) return reply
  }
}

/** The thread cannot look media up: it asks. */
function parse({ holds, bytes, projectId, limits }: ParseRequest, ask: Ask): Promise<Parsed> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const missing = async (uris: readonly string[]) => {
    const reply = await ask({ kind: 'media', uris })
    if (reply.kind !== 'missing') throw new Error(`${reply.kind} is no answer to a question about media`)
    return reply.uris
  }
  return parseLinked(projectId, missing, (findMedia) => PARSERS[holds](body, limits, findMedia))
}

/** Each throws DomainError for what it refuses. */
const PARSERS: Readonly<Record<Holds, (bytes: Buffer, limits: Limits, findMedia: FindMedia) => Parsed>> = {
  trace(bytes, limits, findMedia) {
    const { steps, ...trace } = parseTrace(bytes, limits, findMedia)
    return { trace, steps }
  },
  step: (bytes, limits, findMedia) => ({ trace: null, steps: [valueOf(parseStep(bytes, limits, findMedia))] }),
}

function pack(steps: readonly PreparedStep[], bodies: Uint8Array): PackedStep[] {
  let bodyStart = 0
  return steps.map(({ body, ...step }) => {
    bodies.set(body, bodyStart)
    const packed = { ...step, bodyStart, bodyEnd: bodyStart + body.length }
    bodyStart = packed.bodyEnd
    return packed
  })
}

function nextPart(steps: readonly PackedStep[], from: number): readonly PackedStep[] {
  let text = 0
  let end = from
  while (end < steps.length && end - from < MOST_STEPS && (end === from || text < MOST_TEXT)) {
    text += steps[end++]!.searchText.length
  }
  return steps.slice(from, end)
}

/** Buffers share a pool, all of which would be sent. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
