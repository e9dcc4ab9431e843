import type { AnyEvent, EventMessage } from './event-message.ts'

/** An event for a receiver's form. */
export interface Told {
  readonly message: EventMessage
  readonly event: AnyEvent
  /** Of the message's screen; null if the service does not know its own address, or there is no such screen. */
  readonly link: string | null
  /** The secret of the webhook: of PagerDuty, the key of the service that the event goes to. */
  readonly secret: string
}

/** At most `most` UTF-16 units, without half a character at the end. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const end = text.slice(0, most - 1)
  return `${/[\uD800-\uDBFF]$/.test(end) ? end.slice(0, -1) : end}…`
}
