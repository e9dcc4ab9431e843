import type { Clock } from '../../lib/time/clock.ts'
import { checkWebhook, inOrder, type RefuseAddress } from './check-webhook.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'
import type { WebhookChange } from './webhook-draft.ts'
import type { WebhookStore } from '../../ports/webhooks/webhook-store.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'

export interface ChangeWebhookDependencies {
  readonly store: Pick<WebhookStore, 'change'>
  readonly queue: Pick<DeliveryQueue, 'forgetFailures'>
  readonly clock: Clock
  readonly headPosition: () => number
  readonly refuseAddress: RefuseAddress
}

/** Undefined if it was deleted meanwhile. */
export async function changeWebhook(
  { store, queue, clock, headPosition, refuseAddress }: ChangeWebhookDependencies,
  before: Webhook,
  change: WebhookChange,
): Promise<Webhook | undefined> {
  checkWebhook(change, refuseAddress)
  // Before the change: if the process dies in between, forgetting too much is harmless.
  const isMoved = change.url !== undefined && change.url !== before.url
  if (isMoved || (change.enabled === true && !before.enabled)) await queue.forgetFailures(before.id)
  const [now, head] = [clock.now(), headPosition()]
  return store.change(before.projectId, before.id, (present) => changed(present, change, now, head))
}

function changed(present: Webhook, change: WebhookChange, now: number, head: number): Webhook {
  const { url = present.url, description = present.description, enabled = present.enabled } = change
  const events = change.events === undefined ? present.events : inOrder(change.events)
  const isSame =
    url === present.url &&
    description === present.description &&
    enabled === present.enabled &&
    events.join() === present.events.join()
  if (isSame) return present
  const after = { ...present, url, description, events, updatedAt: nextUpdate(present, now) }
  if (enabled === present.enabled) return after
  if (enabled) return { ...after, enabled, disabledReason: null, disabledAt: null, sincePosition: head }
  return { ...after, enabled, disabledReason: 'by_request', disabledAt: now }
}

/** Differs for any two states of a webhook, so that a caller can detect a change. */
function nextUpdate({ updatedAt }: Pick<Webhook, 'updatedAt'>, now: number): number {
  return Math.max(now, updatedAt + 1)
}
