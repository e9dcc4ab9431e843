/**
 * Server-Sent Events as text: https://html.spec.whatwg.org/multipage/server-sent-events.html. A line end inside a field would let its
 * content end the event and begin another, so ids and names that hold one are refused, and data is split into lines.
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
 * What a stream begins with: the reconnection time, and the position from which the reader goes on if it is cut off before the first event.
 * Without data it is no event to the reader.
 */
export function formatSseStart(retryMs: number, id: string): string {
  return `retry: ${retryMs}\nid: ${oneLine(id)}\n\n`
}

/** Ignored by every reader; keeps proxies from closing a silent connection. */
export function formatSseComment(text: string): string {
  return `: ${oneLine(text)}\n\n`
}

function oneLine(text: string): string {
  if (/[\r\n\0]/.test(text)) throw new RangeError('an SSE id, event name or comment must be one line')
  return text
}
