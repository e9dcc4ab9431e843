import type { Clock } from '../../lib/time/clock.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'
import type { WebhookStore } from '../../ports/webhooks/webhook-store.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'

export interface RemoveWebhookDependencies {
  readonly store: Pick<WebhookStore, 'remove'>
  readonly queue: Pick<DeliveryQueue, 'cancel'>
  readonly clock: Clock
  readonly pause: () => Promise<void>
  readonly onError: (error: unknown, message: string) => void
}

/** Deliveries cancelled before yielding to other work: a few milliseconds. */
const BATCH = 500

/**
 * Returns whether the webhook existed. Cannot fail after the removal: deliveries that are not cancelled here are
 * settled when they are due, and housekeeping removes them.
 */
export async function removeWebhook(
  { store, queue, clock, pause, onError }: RemoveWebhookDependencies,
  { projectId, id }: Pick<Webhook, 'projectId' | 'id'>,
): Promise<boolean> {
  if (!(await store.remove(projectId, id))) return false
  try {
    while ((await queue.cancel(id, clock.now(), BATCH)) >= BATCH) await pause()
  } catch (error) {
    onError(error, 'pending deliveries of a deleted webhook could not be cancelled yet')
  }
  return true
}
