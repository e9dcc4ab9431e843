import type { MetricEventId, ProjectId, TraceId } from '@spoor/contract/ids'
import { metricEventData, monitorData, toEventBody, traceData } from './event-body.ts'
import { eventIdAt } from './event-id.ts'
import type { EventRows, MetricEventPlace } from '../../ports/webhooks/event-rows.ts'
import type { NewEvent } from '../../ports/webhooks/delivery-intake.ts'
import type { WantedEvent } from './wanted-events.ts'

/** An event with its body and without its receivers. */
export interface RenderedEvent {
  readonly wanted: WantedEvent
  readonly event: Omit<NewEvent, 'deliveries' | 'dueAt'>
}

/** Rows of the traces and metric events, by id. */
interface Rows {
  readonly traces: Map<TraceId, string>
  readonly metricEvents: Map<MetricEventId, string>
}

/** Renders events in order, without events whose trace or metric event was deleted. One query per project and kind. */
export async function renderEvents(rows: EventRows, wanted: readonly WantedEvent[]): Promise<readonly RenderedEvent[]> {
  const found = await readRows(rows, wanted)
  return wanted.flatMap((one) => {
    const data = dataOf(one, found)
    if (data === null) return []
    const { projectId, position, committedAt, event } = one
    const head = { id: eventIdAt(position, committedAt), type: event.type, projectId, createdAt: committedAt }
    const contentOf = 'data' in event ? projectId : traceOf(one)
    return [{ wanted: one, event: { ...head, contentOf, body: toEventBody(head, data) } }]
  })
}

/** The trace that the event is about; null if there is none. */
export function traceOf({ event }: WantedEvent): TraceId | null {
  return 'traceId' in event ? event.traceId : null
}

async function readRows(rows: EventRows, wanted: readonly WantedEvent[]): Promise<Rows> {
  const found: Rows = { traces: new Map(), metricEvents: new Map() }
  for (const [projectId, { traces, metricEvents }] of byProject(wanted)) {
    if (traces.size > 0) {
      for (const [id, row] of await rows.traceRows(projectId, [...traces])) found.traces.set(id, row)
    }
    if (metricEvents.length > 0) {
      for (const [id, row] of await rows.metricEvents(projectId, metricEvents)) found.metricEvents.set(id, row)
    }
  }
  return found
}

function byProject(wanted: readonly WantedEvent[]) {
  const byId = new Map<ProjectId, { readonly traces: Set<TraceId>; readonly metricEvents: MetricEventPlace[] }>()
  for (const { projectId, event } of wanted) {
    const ofProject = byId.get(projectId) ?? { traces: new Set<TraceId>(), metricEvents: [] }
    byId.set(projectId, ofProject)
    if (event.type === 'metric.event') ofProject.metricEvents.push({ traceId: event.traceId, id: event.eventId })
    else if ('traceId' in event) ofProject.traces.add(event.traceId)
  }
  return byId
}

function dataOf({ event }: WantedEvent, { traces, metricEvents }: Rows): string | null {
  if ('transition' in event) {
    const { monitor, value, at, group } = event.transition
    return monitorData(monitor, value, at, group)
  }
  if ('data' in event) return event.data
  if (event.type === 'metric.removed')
    return metricEventData(JSON.stringify({ id: event.eventId, trace_id: event.traceId }))
  if ('eventId' in event) {
    const row = metricEvents.get(event.eventId)
    return row === undefined ? null : metricEventData(row)
  }
  const row = traces.get(event.traceId)
  return row === undefined ? null : traceData(row, 'reason' in event ? event.reason : null)
}
