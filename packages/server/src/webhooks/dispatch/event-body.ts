import { EVENT_BODY_BYTES } from '@spoor/contract/limits'
import type { DeliveredEventType } from '@spoor/contract/events'
import type { EventId, ProjectId } from '@spoor/contract/ids'
import { shrinkData } from './shrink-data.ts'

export interface EventHead {
  readonly id: EventId
  readonly type: DeliveredEventType
  readonly projectId: ProjectId
  /** Milliseconds. */
  readonly createdAt: number
}

/**
 * What is sent for an event: `{id, type, timestamp, project_id, data}`. `data`, the JSON text of an object, goes in verbatim; when the whole would have more than EVENT_BODY_BYTES, parts
 * of it are left out or cut, and it says of which (shrink-data.ts).
 */
export function toEventBody(head: EventHead, data: string): Buffer {
  const start = startOf(head)
  const room = EVENT_BODY_BYTES - Buffer.byteLength(start) - 1
  // A character has at least a byte.
  const fits = data.length <= room && Buffer.byteLength(data) <= room
  return Buffer.from(`${start}${fits ? data : shrinkData(head.type, data, room)}}`)
}

function startOf({ id, type, projectId, createdAt }: EventHead): string {
  const fields = { id, type, timestamp: new Date(createdAt).toISOString(), project_id: projectId }
  return `${JSON.stringify(fields).slice(0, -1)},"data":`
}

/** `data` of an event of a trace: its row, JSON text, and why it was flagged. */
export function traceData(row: string, reason: string | null): string {
  return reason === null ? `{"trace":${row}}` : `{"trace":${row},"reason":${JSON.stringify(reason)}}`
}

export function metricEventData(event: string): string {
  return `{"event":${event}}`
}

/** `at`: milliseconds. */
export function monitorData(monitor: string, value: number | null, at: number): string {
  return `{"monitor":${monitor},"value":${JSON.stringify(value)},"at":${JSON.stringify(new Date(at).toISOString())}}`
}
