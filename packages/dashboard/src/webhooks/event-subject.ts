import { formatValue } from '../lib/format-number.ts'

/** The subject of an event, from its body. */
export interface EventSubject {
  readonly kind: 'trace' | 'metric' | 'monitor' | 'cluster'
  readonly id: string
  readonly name: string
  /** More detail: why a trace was flagged, the value of a monitor. */
  readonly detail: string | null
  /** The trace of a metric event. */
  readonly traceId: string | null
}

type Json = Readonly<Record<string, unknown>>

const asObject = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Reads a delivery's body, JSON text; null for a ping and for unknown events. */
export function readEventSubject(body: string): EventSubject | null {
  let data: Json | null
  try {
    data = asObject(asObject(JSON.parse(body))?.['data'])
  } catch {
    return null
  }
  if (data === null) return null
  const trace = asObject(data['trace'])
  if (trace !== null) return subject('trace', trace['id'], trace['name'], asText(data['reason']))
  const monitor = asObject(data['monitor'])
  if (monitor !== null) {
    const value = data['value']
    return subject(
      'monitor',
      monitor['id'],
      monitor['name'],
      typeof value === 'number' ? `at ${formatValue(value)}` : null,
    )
  }
  const cluster = asObject(data['cluster'])
  if (cluster !== null) {
    const { joined, left } = data
    const moved = typeof joined === 'number' && typeof left === 'number' ? `${joined} joined, ${left} left` : null
    return subject('cluster', cluster['id'], cluster['label'], moved)
  }
  const event = asObject(data['event'])
  // A metric is identified by its name.
  if (event !== null) return subject('metric', event['name'], event['name'], null, asText(event['trace_id']))
  return null
}

function subject(
  kind: EventSubject['kind'],
  id: unknown,
  name: unknown,
  detail: string | null,
  traceId: string | null = null,
): EventSubject | null {
  const known = asText(id)
  return known === null ? null : { kind, id: known, name: asText(name) ?? known, detail, traceId }
}
