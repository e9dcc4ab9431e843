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

/** A trace is the root step: it has inputs and outputs. An observation may have the trace's id, so the root has not. */
export function idsOfTrace(id: unknown): SpanIds {
  const traceId = hexOf(id, 'traceId')
  return { traceId, spanId: rootOf(traceId), parentSpanId: null }
}

/** Throws BadSpan. Without a parent it is below the trace. */
export function idsOfObservation({ id, traceId, parentObservationId: parent }: Body): SpanIds {
  const ofTrace = hexOf(traceId ?? id, 'traceId')
  const spanId = spanIdOf(ofTrace, hexOf(id, 'id'))
  const parentId =
    typeof parent === 'string' && parent !== '' ? spanIdOf(ofTrace, hexOf(parent, 'id')) : rootOf(ofTrace)
  return { traceId: ofTrace, spanId, parentSpanId: parentId }
}

/** Of an observation, or of the trace without one. */
export function idsOfNamed({ traceId, observationId: id }: Body): SpanIds {
  return id === undefined || id === null ? idsOfTrace(traceId) : idsOfObservation({ id, traceId })
}

function rootOf(traceId: string): string {
  return hash('sha256', `trace ${traceId}`, 'hex').slice(0, 32)
}

/** Ids that programs choose are unique in their trace. */
function spanIdOf(traceId: string, id: string): string {
  return hash('sha256', `${traceId} ${id}`, 'hex').slice(0, 32)
}
