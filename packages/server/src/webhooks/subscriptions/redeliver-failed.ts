import type { WebhookId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import type { DeliveryLog } from '../../ports/webhooks/delivery-log.ts'
import type { Webhook } from '../../ports/webhooks/webhook.ts'

export interface RedeliverFailedDependencies {
  readonly log: Pick<DeliveryLog, 'redeliverFailed'>
  readonly clock: Clock
  readonly pause: () => Promise<void>
  readonly onDue: (id: WebhookId) => void
}

/** Deliveries made due before yielding to other work: a few milliseconds. */
const BATCH = 500

/** Returns how many were made due again. `find` throws if the webhook no longer accepts deliveries. */
export async function redeliverFailed(
  { log, clock, pause, onDue }: RedeliverFailedDependencies,
  find: () => Promise<Webhook>,
  since: number,
): Promise<number> {
  let count = 0
  let after: number | null = null
  for (;;) {
    const { id } = await find()
    const step = await log.redeliverFailed(id, since, clock.now(), after, BATCH)
    count += step.count
    after = step.after
    if (step.count > 0) onDue(id)
    if (after === null) return count
    await pause()
  }
}
