import type { Delivery } from '@spoor/contract/schemas/delivery'
import type { Webhook } from '@spoor/contract/schemas/webhook'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '@spoor/contract/events'
import { Badge } from '../ui/badge.tsx'
import { healthOf } from './webhook-health.ts'

export function HealthBadge({ webhook, recent }: { webhook: Webhook; recent: readonly Delivery[] | undefined }) {
  const { tone, word, detail } = healthOf(webhook, recent)
  return (
    <span title={detail}>
      <Badge tone={tone}>{word}</Badge>
      <span className="sr-only">: {detail}</span>
    </span>
  )
}

export function EventNames({ events }: { events: readonly WebhookEventType[] }) {
  if (events.length === WEBHOOK_EVENT_TYPES.length) return <span title={events.join('\n')}>All events</span>
  return (
    <span title={events.join('\n')} className="block truncate font-mono text-xs">
      {events.join(', ')}
    </span>
  )
}
