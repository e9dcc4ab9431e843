import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  deliveryOf,
  eventOf,
  hookOf,
  leaseAll,
  NOW,
  type OpenDeliveryStore,
  SECOND,
  succeed,
} from './delivery-builders.test-support.ts'

const LATER = NOW + 60 * SECOND

/** The contract of every DeliveryIntake. */
export function testDeliveryIntake(open: OpenDeliveryStore): void {
  test('a new store has no position; the position never decreases, and a ping does not change it', async (context) => {
    const { intake, queue } = await open(context)
    assert.equal(await intake.position(), null)
    await intake.add([eventOf(1, [1], { type: 'ping' })], null)
    assert.equal(await intake.position(), null)
    await intake.add([], 0)
    assert.equal(await intake.position(), 0)
    await intake.add([], 7)
    await intake.add([eventOf(2)], 3)
    await intake.add([eventOf(3)], null)
    assert.equal(await intake.position(), 7)
    assert.equal(await queue.pendingCount(), 3)
  })

  test('a position that is set may be lower, and counting continues from there', async (context) => {
    const { intake, queue } = await open(context)
    await intake.add([eventOf(1)], 1000)
    await intake.setPosition(4)
    assert.deepEqual([await intake.position(), await queue.pendingCount()], [4, 1])
    await intake.add([eventOf(2)], 6)
    assert.equal(await intake.position(), 6)
  })

  test('existing events and deliveries do not change', async (context) => {
    const { intake, queue, log } = await open(context)
    await intake.add([eventOf(1)], 1)
    await queue.finish((await leaseAll(queue, 1, LATER)).map((delivery) => succeed(delivery)))
    await intake.add([eventOf(1, [1, 2], { body: 'other' }), eventOf(1)], 1)
    assert.equal(await queue.pendingCount(), 1)
    assert.equal((await log.find(hookOf(1), deliveryOf(1, 1)))?.status, 'succeeded')
    assert.equal((await log.find(hookOf(2), deliveryOf(1, 2)))?.body, '{"event":1}')
    // The event exists as long as one of its deliveries.
    assert.equal(await log.forgetWebhooks([hookOf(2)], 10), 1)
    assert.equal((await log.find(hookOf(1), deliveryOf(1, 1)))?.body, '{"event":1}')
  })

  test('thousands are added, leased and finished at once', async (context) => {
    const { intake, queue, log } = await open(context)
    const made = Array.from({ length: 1300 }, (_, index) => index + 1)
    await intake.add([...made.map((number) => eventOf(number)), eventOf(2000, made)], 2000)
    assert.equal(await queue.pendingCount(), 2600)
    const due = await queue.lease(hookOf(1), LATER, LATER + SECOND, { limit: 3000, maxBytes: 1e9 })
    assert.deepEqual(
      due.deliveries.map(({ id }) => id),
      [...made, 2000].map((number) => deliveryOf(number)),
    )
    await queue.finish(due.deliveries.map((delivery) => succeed(delivery, LATER)))
    assert.equal(await queue.pendingCount(), 1299)
    assert.equal(await log.prune(LATER + SECOND, 2000), 1301)
  })

  test('an event without deliveries is not stored', async (context) => {
    const { intake, queue } = await open(context)
    await intake.add([eventOf(1, [])], 4)
    assert.deepEqual([await intake.position(), await queue.pendingCount(), await queue.nextDueAt()], [4, 0, null])
  })

  test('later deliveries have later places, whatever their times', async (context) => {
    const { intake, log } = await open(context)
    await intake.add([eventOf(1, [1], { createdAt: NOW + 500 }), eventOf(2, [1], { createdAt: NOW })], 2)
    await intake.add([eventOf(3, [1], { createdAt: NOW + 100 })], 3)
    const query = { eventType: null, status: null, startTime: null, endTime: null, after: null, limit: 10 }
    const listed = await log.list({ ...query, webhookId: hookOf(1) })
    assert.deepEqual(
      listed.map(({ id }) => id),
      [3, 2, 1].map((number) => deliveryOf(number)),
    )
  })
}
