import type { WebhookId } from '@spoor/contract/ids'
import type { DeliveryLog } from '../../ports/webhooks/delivery-log.ts'

export interface KeepDeliveriesDependencies {
  readonly log: Pick<DeliveryLog, 'prune' | 'forgetWebhooks' | 'webhookIds'>
  /** Which of these subscriptions exist. Rejects when the store cannot be read: nothing is taken for deleted then. */
  readonly existing: (ids: readonly WebhookId[]) => Promise<ReadonlySet<WebhookId>>
  /** How long finished deliveries are kept, milliseconds. */
  readonly retentionMs: number
}

/** Deliveries removed without a break: everything else in the process waits meanwhile, some ten milliseconds. */
const BATCH = 200
/** Batches of one round, of each kind: several times of what comes in during the half minute between two at the rate that can be delivered. */
const BATCHES = 1000

/** One round of housekeeping: what finished long ago goes, and what deleted subscriptions left. Bounded; the rest waits for the next. */
export async function keepDeliveries(
  { log, existing, retentionMs }: KeepDeliveriesDependencies,
  now: number,
): Promise<void> {
  await inBatches((limit) => log.prune(now - retentionMs, limit))
  // In this order: what the log knew first and the directory does not know after was deleted, not made meanwhile.
  const known = await log.webhookIds()
  const present = await existing(known)
  const deleted = known.filter((id) => !present.has(id))
  if (deleted.length > 0) await inBatches((limit) => log.forgetWebhooks(deleted, limit))
}

async function inBatches(drop: (limit: number) => Promise<number>): Promise<void> {
  for (let batch = 1; (await drop(BATCH)) === BATCH && batch < BATCHES; batch++) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}
