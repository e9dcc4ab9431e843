import { formatValue } from '../lib/format-number.ts'

/** What an event is about, as its body says. */
export interface EventSubject {
  readonly kind: 'trace' | 'metric' | 'monitor' | 'cluster'
  readonly id: string
  readonly name: string
  /** More of it: why a trace was flagged, what a monitor saw. */
  readonly detail: string | null
  /** The trace that a metric event is of. */
  readonly traceId: string | null
}

type Json = Readonly<Record<string, unknown>>

const asObject = (value: unknown): Json | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Of the body of a delivery, JSON text; null for a ping and for what it does not know. */
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
  // A metric is known by its name.
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
