import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDeliveryStore } from '../../storage/sql/deliveries/temporary-delivery-store.test-support.ts'
import { eventOf, hookOf, HOUR, leaseAll, NOW, succeed } from '../../ports/webhooks/delivery-builders.test-support.ts'
import { pruneDeliveries } from './prune-deliveries.ts'

const LATER = NOW + HOUR

test('a round removes deliveries past their retention and those of deleted subscriptions, in batches', async () => {
  const { queue, intake, log } = temporaryDeliveryStore()
  await intake.add(
    Array.from({ length: 450 }, (_, index) => eventOf(index + 1, [1, 2, 3])),
    450,
  )
  await queue.finish((await leaseAll(queue, 1, LATER)).map((delivery) => succeed(delivery, LATER)))
  await queue.finish((await leaseAll(queue, 2, LATER)).map((delivery) => succeed(delivery, LATER + 5000)))
  const listed = async (hook: number) => {
    const query = { eventType: null, status: null, startTime: null, endTime: null, after: null, limit: 1000 }
    return (await log.list({ ...query, webhookId: hookOf(hook) })).length
  }
  const limits: number[] = []
  const watched = {
    prune: async (before: number, limit: number) => (limits.push(limit), await log.prune(before, limit)),
    forgetWebhooks: log.forgetWebhooks.bind(log),
    webhookIds: log.webhookIds.bind(log),
  }
  await pruneDeliveries({ log: watched, existing: async (ids) => new Set(ids), retentionMs: HOUR }, LATER + HOUR + 1000)
  assert.deepEqual([await listed(1), await listed(2), await listed(3)], [0, 450, 450])
  assert.ok(limits.length >= 3 && Math.max(...limits) <= 200)
  await pruneDeliveries({ log, existing: async () => new Set([hookOf(2)]), retentionMs: HOUR }, LATER)
  assert.deepEqual([await listed(2), await listed(3), await queue.pendingCount()], [450, 0, 0])
})

test('nothing is deleted if the directory cannot be read', async () => {
  const { queue, intake, log } = temporaryDeliveryStore()
  await intake.add([eventOf(1)], 1)
  const existing = () => Promise.reject(new Error('not now'))
  await assert.rejects(pruneDeliveries({ log, existing, retentionMs: HOUR }, LATER), /not now/)
  assert.equal(await queue.pendingCount(), 1)
})
