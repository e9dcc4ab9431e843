import type { TestContext } from 'node:test'
import type { DeliveredEventType } from '@spoor/contract/events'
import type { Id, IdPrefix, ProjectId, WebhookId } from '@spoor/contract/ids'
import { idFromBytes } from '../../lib/ids/typeid.ts'
import type { ContentOwner, DeliveryIntake, NewEvent } from './delivery-intake.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import type { AfterAttempt, Attempt, DueDelivery, FinishedAttempt } from './delivery.ts'

interface DeliveryStoreUnderTest {
  readonly queue: DeliveryQueue
  readonly intake: DeliveryIntake
  readonly log: DeliveryLog
}

/** Each call opens an empty store; it ends with the test. */
export type OpenDeliveryStore = (context: TestContext) => DeliveryStoreUnderTest | Promise<DeliveryStoreUnderTest>

export const NOW = Date.UTC(2026, 5, 1)
export const SECOND = 1000
export const HOUR = 3600 * SECOND
export const PROJECT: ProjectId = idOf('proj', 1)

export function idOf<P extends IdPrefix>(prefix: P, number: number): Id<P> {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(NOW, 0, 6)
  bytes.writeUInt32BE(number, 12)
  return idFromBytes(prefix, bytes)
}

export function hookOf(number: number): WebhookId {
  return idOf('wh', number)
}

/** An event for these webhooks; its deliveries have the numbers `number * 100 + webhook`. */
export function eventOf(
  number: number,
  webhooks: readonly number[] = [1],
  fields: {
    readonly type?: DeliveredEventType
    readonly createdAt?: number
    readonly body?: string
    readonly contentOf?: ContentOwner
  } = {},
): NewEvent {
  return {
    id: idOf('evt', number),
    projectId: PROJECT,
    contentOf: fields.contentOf ?? null,
    type: fields.type ?? 'trace.committed',
    createdAt: fields.createdAt ?? NOW + number,
    dueAt: fields.createdAt ?? NOW + number,
    body: Buffer.from(fields.body ?? `{"event":${number}}`),
    deliveries: webhooks.map((webhook) => ({ id: deliveryOf(number, webhook), webhookId: hookOf(webhook) })),
  }
}

export function deliveryOf(event: number, webhook = 1): Id<'dlv'> {
  return idOf('dlv', event * 100 + webhook)
}

export function attemptOf(fields: Partial<Attempt> = {}): Attempt {
  return {
    number: 1,
    startedAt: NOW,
    durationMs: 12.5,
    url: 'https://receiver.example/hook',
    requestHeaders: { 'webhook-id': 'evt_1', 'content-type': 'application/json' },
    response: { status: 204, headers: { date: 'today' }, body: '', truncated: false },
    error: null,
    ...fields,
  }
}

export function succeed(delivery: DueDelivery, at = NOW): FinishedAttempt {
  const attempt = attemptOf({ number: delivery.attempts + 1, startedAt: at })
  return { delivery, attempt, after: { status: 'succeeded' } }
}

/** A failed attempt; by default the delivery is tried again. */
export function fail(delivery: DueDelivery, at = NOW, after?: AfterAttempt): FinishedAttempt {
  const attempt = attemptOf({
    number: delivery.attempts + 1,
    startedAt: at,
    response: { status: 500, headers: {}, body: 'no', truncated: false },
  })
  return { delivery, attempt, after: after ?? again(delivery, at + 5 * SECOND) }
}

export function again(delivery: DueDelivery, nextAttemptAt: number): AfterAttempt {
  const { startedAt, step } = delivery.schedule
  return { status: 'pending', nextAttemptAt, schedule: { startedAt, step: step + 1, stepDueAt: null } }
}

/** Leases everything that is due. */
export async function leaseAll(queue: DeliveryQueue, webhook: number, now: number): Promise<readonly DueDelivery[]> {
  const bounds = { limit: 1000, maxBytes: Number.MAX_SAFE_INTEGER }
  return (await queue.lease(hookOf(webhook), now, now + 60 * SECOND, bounds)).deliveries
}
