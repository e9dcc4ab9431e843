import type { WebhookId } from '@spoor/contract/ids'
import type { DeliveryLog } from '../../ports/webhooks/delivery-log.ts'

export interface KeepDeliveriesDependencies {
  readonly log: Pick<DeliveryLog, 'prune' | 'forgetDeleted'>
  /** Whether the subscription is there. Throws when the store cannot be read: nothing is taken for deleted then. */
  readonly exists: (id: WebhookId) => boolean
  /** How long finished deliveries are kept, milliseconds. */
  readonly retentionMs: number
}

/** Deliveries removed without a break: everything else in the process waits meanwhile, some ten milliseconds. */
const BATCH = 200
/** Batches of one round, of each kind: several times of what comes in during the half minute between two at the rate that can be delivered. */
const BATCHES = 1000

/** One round of housekeeping: what finished long ago goes, and what deleted subscriptions left. Bounded; the rest waits for the next. */
export async function keepDeliveries(
  { log, exists, retentionMs }: KeepDeliveriesDependencies,
  now: number,
): Promise<void> {
  await inBatches((limit) => log.prune(now - retentionMs, limit))
  await inBatches((limit) => log.forgetDeleted(exists, limit))
}

async function inBatches(drop: (limit: number) => number): Promise<void> {
  for (let batch = 1; drop(BATCH) === BATCH && batch < BATCHES; batch++) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}
