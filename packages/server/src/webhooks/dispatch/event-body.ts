import { EVENT_BODY_BYTES } from '@spoor/contract/limits'
import { shrinkData } from './shrink-data.ts'
import type { NewEvent } from '../../ports/webhooks/delivery-intake.ts'

export type EventHead = Pick<NewEvent, 'id' | 'type' | 'projectId' | 'createdAt'>

/**
 * The body of an event: `{id, type, timestamp, project_id, data}`. `data`, JSON text of an object, is copied verbatim.
 * If the body would exceed EVENT_BODY_BYTES, parts of `data` are shortened and listed in it (shrink-data.ts).
 */
export function toEventBody(head: EventHead, data: string): Buffer {
  const start = startOf(head)
  const maxBytes = EVENT_BODY_BYTES - Buffer.byteLength(start) - 1
  // The cheap test first: a character has at least one byte.
  const fits = data.length <= maxBytes && Buffer.byteLength(data) <= maxBytes
  return Buffer.from(`${start}${fits ? data : shrinkData(head.type, data, maxBytes)}}`)
}

function startOf({ id, type, projectId, createdAt }: EventHead): string {
  const fields = { id, type, timestamp: new Date(createdAt).toISOString(), project_id: projectId }
  return `${JSON.stringify(fields).slice(0, -1)},"data":`
}

/** `data` of a trace event. `row`: JSON text; `reason`: why the trace was flagged. */
export function traceData(row: string, reason: string | null): string {
  return reason === null ? `{"trace":${row}}` : `{"trace":${row},"reason":${JSON.stringify(reason)}}`
}

export function metricEventData(event: string): string {
  return `{"event":${event}}`
}

/** `at`: milliseconds. */
export function monitorData(monitor: string, value: number | null, at: number, group: string | null): string {
  const time = new Date(at).toISOString()
  return `{"monitor":${monitor},"value":${JSON.stringify(value)},"at":"${time}","group":${JSON.stringify(group)}}`
}
