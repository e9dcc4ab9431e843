import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import { DomainError } from '../../lib/domain-error.ts'
import { valueOf } from '../../lib/validation/refusal.ts'
import { type FindMedia, parseLinked } from '../intake/linkable-media.ts'
import { parseStep } from '../intake/parse-step.ts'
import { parseTrace } from '../intake/parse-trace.ts'
import type { OtlpEncoding } from '../otlp/otlp-encoding.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import type { FromThread, Holds, PackedStep, Parsed, ToThread } from './messages.ts'

/** Sends a message and resolves with its reply. `transferred`: memory that moves with the message. */
export type Exchange = (message: FromThread, transferred?: readonly ArrayBuffer[]) => Promise<ToThread>

type ParseRequest = Extract<ToThread, { kind: 'parse' }>

/** Limits of one message of steps: the service unpacks it in 1 to 2 ms. */
const MOST_STEPS = 250
const MOST_TEXT = 256 * 1024

/** Parses one body and sends the result in parts. Resolves with the next request. */
export async function answerBody(request: ParseRequest, exchange: Exchange): Promise<ToThread> {
  let parsed: Parsed
  try {
    parsed = await parse(request, exchange)
  } catch (error) {
    if (!(error instanceof DomainError)) return exchange({ kind: 'failed', stack: stackOf(error) })
    return exchange({ kind: 'refused', code: error.code, detail: error.message, errors: error.errors })
  }
  const { steps, trace, spans = [], media = [], rejected = null } = parsed
  const bodies = new Uint8Array(steps.reduce((sum, { body }) => sum + body.length, 0))
  const packed = pack(steps, bodies)
  const sent = trace === null ? null : { ...trace, metadata: ownCopy(trace.metadata) }
  const memory = [bodies.buffer, ...media.flatMap(({ bytes }) => ownMemory(bytes))]
  await exchange({ kind: 'parsed', trace: sent, rejected, bodies, media }, memory)
  for (let at = 0; ;) {
    const part = nextPart(packed, at)
    const ofPart = spans.slice(at, at + part.length)
    at += part.length
    const last = at === packed.length
    const reply = await exchange({ kind: 'steps', steps: part, spans: ofPart, last })
    if (last) return reply
  }
}

/** The thread cannot look up media, so it sends a request for it. */
async function parse({ holds, bytes, projectId, limits }: ParseRequest, exchange: Exchange): Promise<Parsed> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (holds === 'protobuf' || holds === 'json') return parseSpans(projectId, body, holds, limits)
  const missing = async (uris: readonly string[]) => {
    const reply = await exchange({ kind: 'media', uris })
    if (reply.kind !== 'missing') throw new Error(`${reply.kind} is no reply to a media request`)
    return reply.uris
  }
  return parseLinked(projectId, missing, (findMedia) => PARSERS[holds](body, limits, findMedia))
}

/** The decoder is loaded with the first export, because most services get none. */
async function parseSpans(projectId: ProjectId, body: Buffer, encoding: OtlpEncoding, limits: Limits): Promise<Parsed> {
  const { parseExport } = await import('../otlp/parse-export.ts')
  const { spans, media, rejected } = parseExport(projectId, body, encoding, limits)
  return {
    trace: null,
    steps: spans.map(({ step }) => step),
    spans: spans.map(({ step: _, ...ofSpan }) => ofSpan),
    media,
    rejected,
  }
}

/** Each throws DomainError for what it refuses. */
const PARSERS: Readonly<
  Record<Exclude<Holds, OtlpEncoding>, (bytes: Buffer, limits: Limits, findMedia: FindMedia) => Parsed>
> = {
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

/** Large buffers have memory of their own, which is transferred. */
function ownMemory({ buffer }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer ? [buffer] : []
}

/** Pooled buffers share memory, all of which would be sent. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
