import type { JournalEvent } from '../../../ports/journal/journal.ts'
import type { MonitorTransition } from '../../../ports/journal/monitor-transition.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'

const COMMITTED = 1
const FLAGGED = 2
const METRIC_EVENT = 3
const MONITOR_FIRED = 4
const MONITOR_RESOLVED = 5
const CLUSTER_CREATED = 6
const CLUSTER_SHIFTED = 7
const ID_BYTES = 16
const LENGTH_BYTES = 4

/**
 * The events of one journal row, end to end. Each is a kind byte and 16 bytes of an id, of a trace, a monitor or a cluster; some have more behind it. Of `metric.event` (3) that is
 * the 16 bytes of the event's id; of others a length (unsigned 32-bit, big-endian) and that many bytes of JSON: of `trace.flagged` (2) the reason (a string or null; JSON keeps lone surrogates, which UTF-8 alone
 * cannot), of `monitor.fired` (4) and `monitor.resolved` (5) the rest of the transition, of `cluster.created` (6) and `cluster.shifted` (7) what webhooks tell of it (a string that is itself JSON).
 */
export function encodeEvents(events: readonly JournalEvent[]): Uint8Array {
  return Buffer.concat(events.map(encodeEvent))
}

function encodeEvent(event: JournalEvent): Uint8Array {
  if (event.type === 'trace.committed') return Buffer.concat([Buffer.of(COMMITTED), idToBytes(event.traceId)])
  if (event.type === 'metric.event') {
    return Buffer.concat([Buffer.of(METRIC_EVENT), idToBytes(event.traceId), idToBytes(event.eventId)])
  }
  if (event.type === 'trace.flagged') return encodeWithJson(FLAGGED, event.traceId, event.reason)
  if ('clusterId' in event) {
    return encodeWithJson(
      event.type === 'cluster.created' ? CLUSTER_CREATED : CLUSTER_SHIFTED,
      event.clusterId,
      event.data,
    )
  }
  const { monitorId, ...rest } = event.transition
  return encodeWithJson(event.type === 'monitor.fired' ? MONITOR_FIRED : MONITOR_RESOLVED, monitorId, rest)
}

function encodeWithJson(kind: number, id: string, value: unknown): Uint8Array {
  const json = Buffer.from(JSON.stringify(value), 'utf8')
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(json.length)
  return Buffer.concat([Buffer.of(kind), idToBytes(id), length, json])
}

export function decodeEvents(bytes: Uint8Array): JournalEvent[] {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const events: JournalEvent[] = []
  let at = 0
  while (at < source.length) {
    const kind = source[at]
    const idEnd = at + 1 + ID_BYTES
    const id = source.subarray(at + 1, idEnd)
    if (kind === COMMITTED) {
      events.push({ type: 'trace.committed', traceId: idFromBytes('tr', id) })
      at = idEnd
    } else if (kind === FLAGGED) {
      const { value, end } = decodeJson(source, idEnd)
      events.push({ type: 'trace.flagged', traceId: idFromBytes('tr', id), reason: value as string | null })
      at = end
    } else if (kind === METRIC_EVENT) {
      const end = idEnd + ID_BYTES
      const eventId = idFromBytes('mev', source.subarray(idEnd, end))
      events.push({ type: 'metric.event', traceId: idFromBytes('tr', id), eventId })
      at = end
    } else if (kind === MONITOR_FIRED || kind === MONITOR_RESOLVED) {
      const { value, end } = decodeJson(source, idEnd)
      const rest = value as Omit<MonitorTransition, 'monitorId'>
      const type = kind === MONITOR_FIRED ? 'monitor.fired' : 'monitor.resolved'
      events.push({ type, transition: { ...rest, monitorId: idFromBytes('mon', id) } })
      at = end
    } else if (kind === CLUSTER_CREATED || kind === CLUSTER_SHIFTED) {
      const { value, end } = decodeJson(source, idEnd)
      const type = kind === CLUSTER_CREATED ? 'cluster.created' : 'cluster.shifted'
      events.push({ type, clusterId: idFromBytes('clu', id), data: value as string })
      at = end
    } else {
      throw new Error(`the journal holds an event of unknown kind ${kind}`)
    }
  }
  return events
}

function decodeJson(source: Buffer, lengthAt: number): { readonly value: unknown; readonly end: number } {
  const start = lengthAt + LENGTH_BYTES
  const end = start + source.readUInt32BE(lengthAt)
  return { value: JSON.parse(source.toString('utf8', start, end)), end }
}
