import {
  type DeliveredEventType,
  EVENT_TYPES,
  type EventSubject,
  type EventTypeOf,
  eventTypeOf,
} from '@spoor/contract/events'
import type { JournalEvent } from '../../../ports/journal/journal.ts'
import type { MonitorTransition } from '../../../ports/journal/monitor-transition.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'

const ID_BYTES = 16
const LENGTH_BYTES = 4

/**
 * Encodes the events of one journal row, one after another. Each begins with the code of its type (`EVENT_TYPES` of the
 * contract) in one byte and, except for a version, the 16 bytes of the id of a trace, a monitor or a cluster. A metric
 * event adds the 16 bytes of its own id. Others add a length (unsigned 32-bit, big-endian) and that many bytes of JSON:
 * a flag its reason (string or null; JSON preserves lone surrogates), a transition its other members, a cluster or
 * version the data of its webhook event (a string that is itself JSON).
 */
export function encodeEvents(events: readonly JournalEvent[]): Uint8Array {
  return Buffer.concat(events.map(encodeEvent))
}

function encodeEvent(event: JournalEvent): Uint8Array {
  const code = Buffer.of(EVENT_TYPES[event.type].code)
  if ('transition' in event) {
    const { monitorId, ...rest } = event.transition
    return Buffer.concat([code, idToBytes(monitorId), ...jsonParts(rest)])
  }
  if ('clusterId' in event) return Buffer.concat([code, idToBytes(event.clusterId), ...jsonParts(event.data)])
  if ('data' in event) return Buffer.concat([code, ...jsonParts(event.data)])
  if ('eventId' in event) return Buffer.concat([code, idToBytes(event.traceId), idToBytes(event.eventId)])
  if ('reason' in event) return Buffer.concat([code, idToBytes(event.traceId), ...jsonParts(event.reason)])
  return Buffer.concat([code, idToBytes(event.traceId)])
}

function jsonParts(value: unknown): readonly Uint8Array[] {
  const json = Buffer.from(JSON.stringify(value), 'utf8')
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(json.length)
  return [length, json]
}

/** Throws if a code is not that of a type that a journal holds. */
export function decodeEvents(bytes: Uint8Array): JournalEvent[] {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const events: JournalEvent[] = []
  let at = 0
  while (at < source.length) {
    const { event, end } = decodeEvent(source, at)
    events.push(event)
    at = end
  }
  return events
}

function decodeEvent(source: Buffer, at: number): { readonly event: JournalEvent; readonly end: number } {
  const type = eventTypeOf(source[at] as number)
  if (isOf(type, 'version')) {
    const { value, end } = decodeJson(source, at + 1)
    return { event: { type, data: value as string }, end }
  }
  const idEnd = at + 1 + ID_BYTES
  const id = source.subarray(at + 1, idEnd)
  if (isOf(type, 'trace')) return { event: { type, traceId: idFromBytes('tr', id) }, end: idEnd }
  if (isOf(type, 'metric event') || isOf(type, 'removed event')) {
    const end = idEnd + ID_BYTES
    const eventId = idFromBytes('mev', source.subarray(idEnd, end))
    return { event: { type, traceId: idFromBytes('tr', id), eventId }, end }
  }
  if (isOf(type, 'flag')) {
    const { value, end } = decodeJson(source, idEnd)
    return { event: { type, traceId: idFromBytes('tr', id), reason: value as string | null }, end }
  }
  if (isOf(type, 'transition')) {
    const { value, end } = decodeJson(source, idEnd)
    const rest = value as Omit<MonitorTransition, 'monitorId'>
    return { event: { type, transition: { ...rest, monitorId: idFromBytes('mon', id) } }, end }
  }
  if (isOf(type, 'cluster') || isOf(type, 'cluster change') || isOf(type, 'cluster pattern')) {
    const { value, end } = decodeJson(source, idEnd)
    return { event: { type, clusterId: idFromBytes('clu', id), data: value as string }, end }
  }
  throw new Error(`the journal holds an event of the unknown type ${source[at]}`)
}

function isOf<Subject extends EventSubject>(
  type: DeliveredEventType | undefined,
  subject: Subject,
): type is EventTypeOf<Subject> {
  return type !== undefined && EVENT_TYPES[type].subject === subject
}

function decodeJson(source: Buffer, lengthAt: number): { readonly value: unknown; readonly end: number } {
  const start = lengthAt + LENGTH_BYTES
  const end = start + source.readUInt32BE(lengthAt)
  return { value: JSON.parse(source.toString('utf8', start, end)), end }
}
