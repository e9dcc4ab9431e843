import type { DeliveryId, EventId } from '@spoor/contract/ids'
import type { WebhookEvents } from '@spoor/contract/schemas/webhook-event'
import type { Clock } from '../../lib/time/clock.ts'
import type { DeliveryIntake } from '../../ports/webhooks/delivery-intake.ts'
import type { DeliveryLog } from '../../ports/webhooks/delivery-log.ts'
import type { Delivery } from '../../ports/webhooks/delivery.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'

export interface PingWebhookDependencies {
  readonly intake: Pick<DeliveryIntake, 'add'>
  readonly log: Pick<DeliveryLog, 'find'>
  readonly clock: Clock
  readonly newEventId: () => EventId
  readonly newDeliveryId: () => DeliveryId
}

/** Undefined if the webhook was deleted meanwhile. */
export async function pingWebhook(
  { intake, log, clock, newEventId, newDeliveryId }: PingWebhookDependencies,
  { id: webhookId, projectId }: Webhook,
): Promise<Delivery | undefined> {
  const [id, deliveryId, createdAt] = [newEventId(), newDeliveryId(), clock.now()]
  const timestamp = new Date(createdAt).toISOString()
  // The stored body is sent unchanged, so it has the wire's names.
  const data = { webhook_id: webhookId }
  const body: WebhookEvents['ping'] = { id, type: 'ping', timestamp, project_id: projectId, data }
  const bytes = Buffer.from(JSON.stringify(body))
  const deliveries = [{ id: deliveryId, webhookId }]
  await intake.add(
    [{ id, projectId, traceId: null, type: body.type, createdAt, dueAt: createdAt, body: bytes, deliveries }],
    null,
  )
  return log.find(webhookId, deliveryId)
}
