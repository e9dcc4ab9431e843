import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@spoor/contract/events'

/** A webhook's events in one line. */
export function EventNames({ events }: { events: readonly WebhookEventType[] }) {
  if (events.length === WEBHOOK_EVENT_TYPES.length) return <span title={events.join('\n')}>All events</span>
  return (
    <span title={events.join('\n')} className="block truncate font-mono text-xs">
      {events.join(', ')}
    </span>
  )
}
