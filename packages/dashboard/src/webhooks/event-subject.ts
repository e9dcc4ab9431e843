import { formatValue } from '../lib/format-number.ts'
import { parseJson } from '../lib/parse-json.ts'

export interface EventSubject {
  readonly kind: 'trace' | 'metric' | 'monitor' | 'cluster'
  readonly id: string
  readonly name: string
  /** More detail: why a trace was flagged, the value of a monitor. */
  readonly detail: string | null
  /** The trace of a metric event. */
  readonly traceId: string | null
}

interface Named {
  readonly id: string
  readonly name: string
}

/** What events have, each some of it. */
interface EventData {
  readonly trace?: Named
  readonly reason?: string | null
  readonly monitor?: Named
  readonly value?: number | null
  readonly cluster?: { readonly id: string; readonly label: string }
  readonly joined?: number
  readonly left?: number
  readonly event?: { readonly name: string; readonly trace_id: string }
}

/** Reads a delivery's body, JSON text; null for a ping and for unknown events. */
export function readEventSubject(body: string): EventSubject | null {
  const sent = parseJson(body) as { readonly data?: EventData | null } | null | undefined
  const { trace, reason, monitor, value, cluster, joined, left, event } = sent?.data ?? {}
  if (trace) return subject('trace', trace.id, trace.name, reason)
  if (monitor)
    return subject('monitor', monitor.id, monitor.name, typeof value === 'number' ? `at ${formatValue(value)}` : null)
  if (cluster)
    return subject('cluster', cluster.id, cluster.label, joined === undefined ? null : `${joined} joined, ${left} left`)
  // A metric is identified by its name.
  return event ? subject('metric', event.name, event.name, null, event.trace_id) : null
}

function subject(
  kind: EventSubject['kind'],
  id: unknown,
  name: string,
  detail: string | null | undefined,
  traceId: string | null = null,
): EventSubject | null {
  return typeof id === 'string' ? { kind, id, name: name || id, detail: detail || null, traceId } : null
}
