import { systemClock } from '../../../packages/server/src/lib/time/clock.ts'
import { createIdGenerator } from '../../../packages/server/src/lib/ids/ids.ts'
import { systemRandomBytes } from '../../../packages/server/src/lib/ids/random.ts'
import { SecretBox } from '../../../packages/server/src/lib/secret-box.ts'
import { openDeliveryStore } from '../../../packages/server/src/storage/sql/deliveries/open-delivery-store.ts'
import type { NewEvent } from '../../../packages/server/src/ports/webhooks/delivery-intake.ts'
import type { Subscribed } from '../subscribe.ts'

const EVENTS_PER_WRITE = 500

/** Fills the store of a stopped service with due deliveries: events of about 700 bytes, each for all subscriptions. */
export async function fillDeliveries(
  dataDir: string,
  { projectId, webhookIds }: Subscribed,
  deliveries: number,
): Promise<void> {
  const box = new SecretBox(Buffer.alloc(32), systemRandomBytes)
  const store = openDeliveryStore({ dataDir, clock: systemClock, box })
  const ids = createIdGenerator(systemClock, systemRandomBytes)
  let left = deliveries / webhookIds.length
  while (left > 0) {
    const now = Date.now()
    const events = Array.from({ length: Math.min(left, EVENTS_PER_WRITE) }, (): NewEvent => ({
      contentOf: null,
      id: ids.newId('evt'),
      projectId: projectId as NewEvent['projectId'],
      type: 'trace.committed',
      createdAt: now,
      dueAt: now,
      body: Buffer.from(JSON.stringify({ filler: 'x'.repeat(680) })),
      deliveries: webhookIds.map((webhookId) => ({
        id: ids.newId('dlv'),
        webhookId: webhookId as NewEvent['deliveries'][number]['webhookId'],
      })),
    }))
    await store.intake.add(events, null)
    left -= events.length
  }
  store.close()
}
