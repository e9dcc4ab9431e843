import { hash } from 'node:crypto'
import type { StepId } from '@spoor/contract/ids'
import { idFromBytes } from '../../lib/ids/typeid.ts'

const ID_BYTES = 16

/**
 * The id of the step that a span becomes, from the ids of the span and its trace alone: so a child can name its parent
 * before the parent has come, and a span that is sent again has the same id. Both are lower-case hex. A span id as long
 * as a trace id is unique without its trace, which some requests do not name.
 */
export function stepIdOf(traceId: string, spanId: string): StepId {
  const name = spanId.length < traceId.length ? traceId + spanId : spanId
  return idFromBytes('st', hash('sha256', Buffer.from(name, 'hex'), 'buffer').subarray(0, ID_BYTES))
}

/** The same, remembered for spans with one parent that follow each other. */
export function parentStepId(traceId: string, parentSpanId: string): StepId {
  const key = traceId + parentSpanId
  if (key !== lastParent.key) lastParent = { key, id: stepIdOf(traceId, parentSpanId) }
  return lastParent.id
}

let lastParent = { key: '', id: '' as StepId }

/**
 * The trace key under which the id of a trace at its sender is known. No `Idempotency-Key` can be the same, because a
 * header has no control characters.
 */
export function aliasKey(otelTraceId: string): string {
  return `\u0001otel ${otelTraceId}`
}

/** The alias needs no hash of a body: the same trace id always means the same trace. */
export function aliasHash(otelTraceId: string): string {
  return hash('sha256', Buffer.from(otelTraceId, 'hex'), 'hex')
}
