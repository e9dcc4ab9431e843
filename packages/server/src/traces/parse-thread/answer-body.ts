import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import { DomainError } from '../../lib/domain-error.ts'
import { freeWhole, markSole, memoryOf } from '../../lib/flow/passing-bytes.ts'
import { compileMasking, type Masker } from '../../lib/masking/masker.ts'
import { valueOf } from '../../lib/validation/refusal.ts'
import { type FindMedia, parseLinked } from '../intake/linkable-media.ts'
import { maskOwn, maskSpan, maskStep } from '../intake/mask-prepared.ts'
import { parseStep } from '../intake/parse-step.ts'
import { parseTrace } from '../intake/parse-trace.ts'
import type { SpanForm } from '../otlp/otlp-encoding.ts'
import { type PreparedStep, type PreparedTrace, textsLength } from '../../ports/traces/prepared.ts'
import type { FromThread, Holds, Item, PackedItem, PackedStep, Rest, ToThread } from './messages.ts'

/** Sends a message and resolves with its reply. `transferred`: memory that moves with the message. */
export type Exchange = (message: FromThread, transferred?: readonly ArrayBuffer[]) => Promise<ToThread>

type ParseRequest = Extract<ToThread, { kind: 'parse' }>

/** A message of steps is sent when it has as much as one of these: the service unpacks it in 1 to 2 ms. */
const MOST_STEPS = 250
const MOST_TEXT = 256 * 1024
const MOST_BYTES = 1024 * 1024

/** The steps of a body, one by one, then the rest. */
type Content = Generator<Item, Rest>

/**
 * Parses one body and sends its steps in parts, each when it is full: an export is never held as a whole beside its
 * bytes. Resolves with the next request.
 */
export async function answerBody(request: ParseRequest, exchange: Exchange): Promise<ToThread> {
  let rest: Rest
  try {
    const masker = await compileMasking(request.masking)
    rest = await sendSteps(masked(await parse(request, exchange), masker), exchange)
  } catch (error) {
    if (!(error instanceof DomainError))
      return exchange({ kind: 'failed', stack: String(error instanceof Error ? error.stack : error) })
    return exchange({ kind: 'refused', code: error.code, detail: error.message, errors: error.errors })
  } finally {
    // While the service goes on with what was in the body, this thread waits, and V8 would not free the body.
    freeWhole(markSole(request.bytes))
  }
  const { trace, rejected, media } = rest
  const sent = trace === null ? null : { ...trace, metadata: ownCopy(trace.metadata) }
  const memory = media.flatMap(({ bytes }) => memoryOf(bytes))
  return exchange({ kind: 'parsed', trace: sent, rejected, media }, memory)
}

/** The thread cannot look up media, so it sends a request for it. */
async function parse({ holds, bytes, projectId, limits }: ParseRequest, exchange: Exchange): Promise<Content> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (holds !== 'trace' && holds !== 'part' && holds !== 'step') return spansOf(projectId, body, holds, limits)
  const missing = async (uris: readonly string[]) => {
    const reply = await exchange({ kind: 'media', uris })
    if (reply.kind !== 'missing') throw new Error(`${reply.kind} is no reply to a media request`)
    return reply.uris
  }
  return parseLinked(projectId, missing, (findMedia) => PARSERS[holds](body, limits, findMedia))
}

/** The decoder is loaded with the first export, because most services get none. */
async function spansOf(projectId: ProjectId, body: Buffer, encoding: SpanForm, limits: Limits): Promise<Content> {
  const { parseSpans } = await import('../otlp/parse-export.ts')
  return (function* (): Content {
    return { trace: null, ...(yield* parseSpans(projectId, body, encoding, limits)) }
  })()
}

/** Each throws DomainError for what it refuses. */
const PARSERS: Readonly<
  Record<Exclude<Holds, SpanForm>, (bytes: Buffer, limits: Limits, findMedia: FindMedia) => Content>
> = {
  trace: (...body) => contentOfTrace(parseTrace(...body)),
  part: (...body) => contentOfTrace(parseTrace(...body, 'part')),
  step: (bytes, limits, findMedia) => contentOf([valueOf(parseStep(bytes, limits, findMedia))], null),
}

function contentOfTrace({ steps, ...trace }: PreparedTrace): Content {
  return contentOf(steps, trace)
}

function* contentOf(steps: readonly PreparedStep[], trace: Rest['trace']): Content {
  yield* steps
  return { trace, rejected: null, media: [] }
}

/** Masks each step when it is taken. */
function* masked(content: Content, masker: Masker | null): Content {
  for (;;) {
    const { value, done } = content.next()
    if (done === true) return { ...value, trace: value.trace && maskOwn(value.trace, masker) }
    yield 'step' in value ? maskSpan(value, masker) : maskStep(value, masker)
  }
}

async function sendSteps(content: Content, exchange: Exchange): Promise<Rest> {
  let items: Item[] = []
  let [text, bytes] = [0, 0]
  for (;;) {
    const { value, done } = content.next()
    if (done !== true) {
      const { texts, body } = 'step' in value ? value.step : value
      items.push(value)
      text += textsLength(texts)
      bytes += body.length
    }
    const isFull = items.length === MOST_STEPS || text >= MOST_TEXT || bytes >= MOST_BYTES
    if (isFull || (done === true && items.length > 0)) {
      const bodies = new Uint8Array(bytes)
      await exchange({ kind: 'steps', items: pack(items, bodies), bodies }, [bodies.buffer])
      ;[items, text, bytes] = [[], 0, 0]
    }
    if (done === true) return value
  }
}

function pack(items: readonly Item[], bodies: Uint8Array): PackedItem[] {
  let end = 0
  const packed = (step: PreparedStep): PackedStep => {
    const start = end
    bodies.set(step.body, start)
    end += step.body.length
    return { ...step, body: [start, end] }
  }
  return items.map((item) => ('step' in item ? { ...item, step: packed(item.step) } : packed(item)))
}

/** Pooled buffers share memory, all of which would be sent. */
function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
