import { hash } from 'node:crypto'
import type { Fields } from '@spoor/payloads/json'
import { hexOfUuid, type SpanIds } from '../mention.ts'
import { BadSpan } from '../wire/span.ts'

/** The body of an event: any field may be missing, or anything. */
export type Body = Fields

const LONGEST_ID = 1000

/** 32 lower-case hex digits: those of a UUID, else of a hash, because programs choose any text. Throws BadSpan. */
function hexOf(id: unknown, field: string): string {
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID) {
    throw new BadSpan(`\`${field}\` must be a text of 1 to ${LONGEST_ID} characters`)
  }
  return hexOfUuid(id) ?? hash('sha256', id, 'hex').slice(0, 32)
}

/** Later SDKs send spans of OpenTelemetry, and scores that name these by their ids. */
const OTEL_TRACE = /^[0-9a-f]{32}$/i
const OTEL_SPAN = /^(?!0+$)[0-9a-f]{16}$/i

/** A trace is the root step: it has inputs and outputs. An observation may have the trace's id, so the root has not. */
export function idsOfTrace(id: unknown): SpanIds {
  const traceId = hexOf(id, 'traceId')
  return { traceId, spanId: rootOf(traceId), parentSpanId: null }
}

/** Throws BadSpan. Without a parent it is below the trace. */
export function idsOfObservation({ id, traceId, parentObservationId: parent }: Body): SpanIds {
  const ofTrace = hexOf(traceId ?? id, 'traceId')
  const isOtel = OTEL_TRACE.test(String(traceId))
  const spanIdOf = (one: unknown) =>
    isOtel && OTEL_SPAN.test(String(one)) ? String(one).toLowerCase() : idWithin(ofTrace, hexOf(one, 'id'))
  const parentId = typeof parent === 'string' && parent !== '' ? spanIdOf(parent) : rootOf(ofTrace)
  return { traceId: ofTrace, spanId: spanIdOf(id), parentSpanId: parentId }
}

/** Of an observation, or of the trace without one. */
export function idsOfNamed({ traceId, observationId: id }: Body): SpanIds {
  return id === undefined || id === null ? idsOfTrace(traceId) : idsOfObservation({ id, traceId })
}

/** Of what a score names. A trace of OpenTelemetry has a root of its own: its score is on the trace itself. */
export function idsOfScored(score: Body): SpanIds {
  const ids = idsOfNamed(score)
  const isOtelTrace = ids.parentSpanId === null && OTEL_TRACE.test(String(score['traceId']))
  return isOtelTrace ? { ...ids, spanId: ids.traceId } : ids
}

/** Whether the ids are those of a trace and of no step. */
export function isItself({ traceId, spanId }: SpanIds): boolean {
  return traceId === spanId
}

function rootOf(traceId: string): string {
  return hash('sha256', `trace ${traceId}`, 'hex').slice(0, 32)
}

/** Ids that programs choose are unique in their trace. */
function idWithin(traceId: string, id: string): string {
  return hash('sha256', `${traceId} ${id}`, 'hex').slice(0, 32)
}
