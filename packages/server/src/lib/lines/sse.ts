/**
 * Server-Sent Events as text: https://html.spec.whatwg.org/multipage/server-sent-events.html. A line end in a field
 * could end the event and inject another, so ids and names with a line end are refused, and data is split into lines.
 */
export interface SseEvent {
  readonly id?: string
  readonly event?: string
  readonly data: string
}

export function formatSseEvent(event: SseEvent): string {
  let text = ''
  if (event.id !== undefined) text += `id: ${oneLine(event.id)}\n`
  if (event.event !== undefined) text += `event: ${oneLine(event.event)}\n`
  for (const line of event.data.split(/\r\n|\r|\n/)) text += `data: ${line}\n`
  return `${text}\n`
}

/**
 * The start of a stream: the reconnection time, and the position from which a reader resumes if it is disconnected
 * before the first event. It has no data, so readers do not see an event.
 */
export function formatSseStart(retryMs: number, id: string): string {
  return `retry: ${retryMs}\nid: ${oneLine(id)}\n\n`
}

/** Readers ignore it; it keeps proxies from closing an idle connection. */
export function formatSseComment(text: string): string {
  return `: ${oneLine(text)}\n\n`
}

function oneLine(text: string): string {
  if (/[\r\n\0]/.test(text)) throw new RangeError('an SSE id, event name or comment must be one line')
  return text
}
