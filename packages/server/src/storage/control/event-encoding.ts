import type { JournalEvent } from '../../journal/journal.ts'
import { idFromBytes, idToBytes } from '../../lib/typeid.ts'

const COMMITTED = 1
const FLAGGED = 2
const METRIC_EVENT = 3
const ID_BYTES = 16
const LENGTH_BYTES = 4

/**
 * The events of one journal row, end to end. Each is a kind byte and the 16 bytes of the trace id; `trace.flagged` (2) has its reason behind it: a length
 * (unsigned 32-bit, big-endian) and that many bytes of JSON (a string or null; JSON keeps lone surrogates, which UTF-8 alone cannot); `metric.event` (3) the
 * 16 bytes of the event's id.
 */
export function encodeEvents(events: readonly JournalEvent[]): Uint8Array {
  return Buffer.concat(events.map(encodeEvent))
}

function encodeEvent(event: JournalEvent): Uint8Array {
  if (event.type === 'trace.committed') return Buffer.concat([Buffer.of(COMMITTED), idToBytes(event.traceId)])
  if (event.type === 'metric.event') {
    return Buffer.concat([Buffer.of(METRIC_EVENT), idToBytes(event.traceId), idToBytes(event.eventId)])
  }
  const reason = Buffer.from(JSON.stringify(event.reason), 'utf8')
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(reason.length)
  return Buffer.concat([Buffer.of(FLAGGED), idToBytes(event.traceId), length, reason])
}

export function decodeEvents(bytes: Uint8Array): JournalEvent[] {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const events: JournalEvent[] = []
  let at = 0
  while (at < source.length) {
    const kind = source[at]
    const idEnd = at + 1 + ID_BYTES
    const traceId = idFromBytes('tr', source.subarray(at + 1, idEnd))
    if (kind === COMMITTED) {
      events.push({ type: 'trace.committed', traceId })
      at = idEnd
    } else if (kind === FLAGGED) {
      const reasonStart = idEnd + LENGTH_BYTES
      const reasonEnd = reasonStart + source.readUInt32BE(idEnd)
      const reason = JSON.parse(source.toString('utf8', reasonStart, reasonEnd)) as string | null
      events.push({ type: 'trace.flagged', traceId, reason })
      at = reasonEnd
    } else if (kind === METRIC_EVENT) {
      const eventEnd = idEnd + ID_BYTES
      events.push({ type: 'metric.event', traceId, eventId: idFromBytes('mev', source.subarray(idEnd, eventEnd)) })
      at = eventEnd
    } else {
      throw new Error(`the journal holds an event of unknown kind ${kind}`)
    }
  }
  return events
}
