import type { WebhookId } from '@spoor/contract/ids'
import { inBatches } from '../../lib/flow/in-batches.ts'
import type { DeliveryLog } from '../../ports/webhooks/delivery-log.ts'

export interface PruneDeliveriesDependencies {
  readonly log: Pick<DeliveryLog, 'prune' | 'forgetWebhooks' | 'webhookIds'>
  /** Which of these subscriptions exist. Rejects if the store cannot be read. */
  readonly existing: (ids: readonly WebhookId[]) => Promise<ReadonlySet<WebhookId>>
  /** How long finished deliveries are retained, milliseconds. */
  readonly retentionMs: number
}

/** Deliveries removed before yielding to other work: about ten milliseconds. */
const BATCH = 200
/** Batches of one round and kind: several times what can be delivered between two rounds. */
const BATCHES = 1000

/** One round of housekeeping: removes old finished deliveries and deliveries of deleted subscriptions. Bounded. */
export async function pruneDeliveries(
  { log, existing, retentionMs }: PruneDeliveriesDependencies,
  now: number,
): Promise<void> {
  await inBatches(BATCH, BATCHES, (limit) => log.prune(now - retentionMs, limit))
  // The log first: a subscription it knows that is not in the directory afterwards was deleted, not just created.
  const known = await log.webhookIds()
  const present = await existing(known)
  const deleted = known.filter((id) => !present.has(id))
  if (deleted.length > 0) await inBatches(BATCH, BATCHES, (limit) => log.forgetWebhooks(deleted, limit))
}
