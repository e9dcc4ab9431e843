import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  again,
  deliveryOf,
  eventOf,
  fail,
  hookOf,
  HOUR,
  leaseAll,
  NOW,
  type OpenDeliveryStore,
  succeed,
} from './delivery-builders.test-support.ts'
import type { DueDelivery } from './delivery.ts'

const LATER = NOW + HOUR

/**
 * The contract of every DeliveryQueue. Deliveries are added and read through the intake and the log of the same store.
 */
export function testDeliveryQueue(open: OpenDeliveryStore): void {
  const ids = (deliveries: readonly DueDelivery[]) => deliveries.map(({ id }) => id)
  const plenty = { limit: 100, maxBytes: 1_000_000 }

  test('an empty queue returns nothing', async (context) => {
    const { queue } = await open(context)
    assert.deepEqual(await queue.dueWebhooks(LATER, null, 10), [])
    assert.equal(await queue.nextDueAt(), null)
    assert.equal(await queue.pendingCount(), 0)
    assert.deepEqual(await leaseAll(queue, 1, LATER), [])
    assert.deepEqual(await queue.health(hookOf(1)), { failingSince: null, failuresInARow: 0 })
    await queue.finish([])
    await queue.release([deliveryOf(1)])
    await queue.settle(deliveryOf(1), { status: 'cancelled' }, LATER)
    await queue.forgetFailures(hookOf(1))
    assert.equal(await queue.cancel(hookOf(1), LATER, 10), 0)
    assert.equal(await queue.expire(LATER, LATER, 10), 0)
  })

  test('a delivery is due when it is created, and leased with everything that an attempt needs', async (context) => {
    const { queue, intake } = await open(context)
    await intake.add([eventOf(5, [1], { type: 'metric.event', body: '{"ä":1}' })], 5)
    assert.equal(await queue.nextDueAt(), NOW + 5)
    assert.deepEqual(await queue.dueWebhooks(NOW + 4, null, 10), [])
    assert.deepEqual((await queue.lease(hookOf(1), NOW + 4, LATER, plenty)).deliveries, [])
    assert.deepEqual(await queue.dueWebhooks(NOW + 5, null, 10), [hookOf(1)])
    const [due] = (await queue.lease(hookOf(1), NOW + 5, LATER, plenty)).deliveries
    assert.deepEqual(
      { ...due, body: Buffer.from(due?.body ?? []).toString() },
      {
        id: deliveryOf(5),
        webhookId: hookOf(1),
        eventId: eventOf(5).id,
        eventType: 'metric.event',
        body: '{"ä":1}',
        attempts: 0,
        schedule: { startedAt: NOW + 5, step: 0, stepDueAt: null },
      },
    )
  })

  test('a leased delivery is not leased again until it is released or its lease has expired', async (context) => {
    const { queue, intake } = await open(context)
    await intake.add([eventOf(1), eventOf(2), eventOf(3)], 3)
    const first = (await queue.lease(hookOf(1), LATER, LATER + 10, { ...plenty, limit: 2 })).deliveries
    assert.deepEqual(ids(first), [deliveryOf(1), deliveryOf(2)])
    assert.equal(await queue.nextDueAt(), NOW + 3)
    assert.deepEqual(ids((await queue.lease(hookOf(1), LATER, LATER + 20, plenty)).deliveries), [deliveryOf(3)])
    assert.equal(await queue.nextDueAt(), null)
    assert.deepEqual(await queue.dueWebhooks(LATER + 9, null, 10), [])
    await queue.release([deliveryOf(2)])
    assert.equal(await queue.nextDueAt(), NOW + 2)
    assert.deepEqual(ids((await queue.lease(hookOf(1), LATER, LATER + 20, plenty)).deliveries), [deliveryOf(2)])
    assert.deepEqual(await queue.dueWebhooks(LATER + 10, null, 10), [hookOf(1)])
    assert.deepEqual(ids((await queue.lease(hookOf(1), LATER + 10, LATER + 20, plenty)).deliveries), [deliveryOf(1)])
    assert.equal(await queue.pendingCount(), 3)
  })

  test('the earliest due are leased first, within the bounds, which do not apply to the first', async (context) => {
    const { queue, intake } = await open(context)
    const body = 'x'.repeat(100)
    await intake.add([eventOf(9, [1], { body }), eventOf(3, [1], { body }), eventOf(6, [1], { body })], 9)
    assert.deepEqual(ids((await queue.lease(hookOf(1), LATER, LATER, { limit: 9, maxBytes: 250 })).deliveries), [
      deliveryOf(3),
      deliveryOf(6),
    ])
    await queue.release([deliveryOf(3), deliveryOf(6)])
    assert.deepEqual(ids((await queue.lease(hookOf(1), LATER - 1, LATER, { limit: 9, maxBytes: 1 })).deliveries), [
      deliveryOf(3),
    ])
    assert.equal(await queue.nextDueAt(), NOW + 6)
  })

  test('webhooks with due deliveries take turns in the order of their ids', async (context) => {
    const { queue, intake } = await open(context)
    await intake.add([eventOf(1, [4, 2, 7, 5])], 1)
    await intake.add([eventOf(2, [6], { createdAt: LATER + 1 })], 2)
    await leaseAll(queue, 5, LATER)
    const turn = (after: number | null, limit: number) =>
      queue.dueWebhooks(LATER, after === null ? null : hookOf(after), limit)
    assert.deepEqual(await turn(null, 10), [2, 4, 7].map(hookOf))
    assert.deepEqual(await turn(2, 10), [4, 7, 2].map(hookOf))
    assert.deepEqual(await turn(3, 2), [4, 7].map(hookOf))
    assert.deepEqual(await turn(7, 1), [hookOf(2)])
  })

  test('a success ends a delivery, and a failure schedules its next attempt', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1), eventOf(2)], 2)
    const [one, two] = (await leaseAll(queue, 1, LATER)) as [DueDelivery, DueDelivery]
    const schedule = { startedAt: NOW + 2, step: 1, stepDueAt: LATER + 50 }
    await queue.finish([
      succeed(one, LATER),
      fail(two, LATER, { status: 'pending', nextAttemptAt: LATER + 40, schedule }),
    ])
    assert.equal(await queue.pendingCount(), 1)
    assert.equal(await queue.nextDueAt(), LATER + 40)
    assert.deepEqual(await leaseAll(queue, 1, LATER + 39), [])
    const [due] = (await leaseAll(queue, 1, LATER + 40)) as [DueDelivery]
    assert.deepEqual([due.id, due.attempts, due.schedule], [two.id, 1, schedule])
    assert.equal((await log.find(hookOf(1), one.id))?.status, 'succeeded')
    assert.equal((await log.find(hookOf(1), one.id))?.finishedAt, LATER + 13)
    assert.equal((await log.find(hookOf(1), two.id))?.nextAttemptAt, LATER + 40)
    await queue.finish([fail(due, LATER + 41, { status: 'failed', reason: 'attempts_exhausted' })])
    const failed = await log.find(hookOf(1), two.id)
    assert.deepEqual([failed?.status, failed?.reason, failed?.attempts], ['failed', 'attempts_exhausted', 2])
    assert.deepEqual([await queue.nextDueAt(), await queue.pendingCount()], [null, 0])
  })

  test('an attempt whose lease has expired is stored and counts', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1)], 1)
    const [slow] = (await queue.lease(hookOf(1), LATER, LATER + 1, plenty)).deliveries as [DueDelivery]
    const [quick] = (await queue.lease(hookOf(1), LATER + 1, LATER + HOUR, plenty)).deliveries as [DueDelivery]
    await queue.finish([succeed(quick, LATER + 2)])
    await queue.finish([fail(slow, LATER + 3)])
    const found = await log.find(hookOf(1), slow.id)
    assert.equal(found?.status, 'succeeded')
    assert.deepEqual(
      found.attemptList.map(({ number }) => number),
      [1, 2],
    )
    assert.deepEqual([found.attempts, found.lastResponseStatus], [2, 500])
    assert.deepEqual([await queue.pendingCount(), await queue.nextDueAt()], [0, null])
  })

  test('a failure counts if its lease has ended and the same queue has leased the delivery again', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1)], 1)
    const [slow] = (await queue.lease(hookOf(1), LATER, LATER + 1, plenty)).deliveries as [DueDelivery]
    const [twice] = (await queue.lease(hookOf(1), LATER + 1, LATER + HOUR, plenty)).deliveries as [DueDelivery]
    await queue.finish([fail(slow, LATER, again(slow, LATER + 9000))])
    assert.equal(await queue.nextDueAt(), LATER + 9000)
    const [next] = (await leaseAll(queue, 1, LATER + 9000)) as [DueDelivery]
    assert.deepEqual([next.attempts, next.schedule.step], [1, 1])
    await queue.finish([fail(twice, LATER, again(twice, LATER + 20_000))])
    await queue.finish([succeed(next, LATER)])
    const found = await log.find(hookOf(1), slow.id)
    assert.deepEqual([found?.status, found?.attemptList.length], ['succeeded', 3])
  })

  test('a delivery cancelled meanwhile stays cancelled unless it succeeds; a removed one stays removed', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1), eventOf(2), eventOf(3, [2])], 3)
    const [one, two] = (await leaseAll(queue, 1, LATER)) as [DueDelivery, DueDelivery]
    const [three] = (await leaseAll(queue, 2, LATER)) as [DueDelivery]
    assert.equal(await queue.cancel(hookOf(1), LATER, 10), 2)
    assert.equal(await queue.pendingCount(), 1)
    assert.equal(await log.forgetWebhooks([hookOf(2)], 10), 1)
    assert.equal(await queue.pendingCount(), 0)
    await queue.finish([fail(one, LATER), succeed(two, LATER), succeed(three, LATER)])
    const first = await log.find(hookOf(1), one.id)
    assert.deepEqual([first?.status, first?.attempts, first?.finishedAt], ['cancelled', 1, LATER])
    assert.equal((await log.find(hookOf(1), two.id))?.status, 'succeeded')
    assert.equal(await log.find(hookOf(2), three.id), undefined)
    assert.deepEqual([await queue.pendingCount(), await queue.nextDueAt()], [0, null])
    assert.deepEqual(await queue.dueWebhooks(LATER + HOUR, null, 10), [])
  })

  test('releasing the lease of a cancelled delivery does not make it pending', async (context) => {
    const { queue, intake } = await open(context)
    await intake.add([eventOf(1)], 1)
    await leaseAll(queue, 1, LATER)
    await queue.cancel(hookOf(1), LATER, 10)
    await queue.release([deliveryOf(1)])
    assert.deepEqual(
      [await queue.nextDueAt(), await queue.dueWebhooks(LATER, null, 10), await queue.pendingCount()],
      [null, [], 0],
    )
  })

  test('a delivery is settled without an attempt', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1), eventOf(2)], 1)
    await leaseAll(queue, 1, NOW + 1)
    await queue.settle(deliveryOf(1), { status: 'cancelled' }, LATER)
    await queue.settle(deliveryOf(2), { status: 'failed', reason: 'expired' }, LATER)
    const one = await log.find(hookOf(1), deliveryOf(1))
    const two = await log.find(hookOf(1), deliveryOf(2))
    assert.deepEqual([one?.status, one?.finishedAt, one?.attempts, one?.nextAttemptAt], ['cancelled', LATER, 0, null])
    assert.deepEqual([two?.status, two?.reason], ['failed', 'expired'])
    assert.deepEqual([await queue.pendingCount(), await queue.nextDueAt()], [0, null])
  })

  test('health counts failures of all deliveries since the last success', async (context) => {
    const { queue, intake } = await open(context)
    await intake.add([eventOf(1, [1, 2]), eventOf(2), eventOf(3)], 3)
    const [one, two, three] = (await leaseAll(queue, 1, LATER)) as [DueDelivery, DueDelivery, DueDelivery]
    await queue.finish([fail(one, LATER)])
    await queue.finish([fail(two, LATER + 100)])
    assert.deepEqual(await queue.health(hookOf(1)), { failingSince: LATER + 13, failuresInARow: 2 })
    assert.deepEqual(await queue.health(hookOf(2)), { failingSince: null, failuresInARow: 0 })
    await queue.finish([succeed(three, LATER + 200)])
    assert.deepEqual(await queue.health(hookOf(1)), { failingSince: null, failuresInARow: 0 })
    const [due] = (await leaseAll(queue, 1, LATER + HOUR)) as [DueDelivery]
    await queue.finish([fail(due, LATER + HOUR)])
    assert.equal((await queue.health(hookOf(1))).failuresInARow, 1)
    await queue.forgetFailures(hookOf(1))
    assert.deepEqual(await queue.health(hookOf(1)), { failingSince: null, failuresInARow: 0 })
  })

  test('old deliveries expire up to the limit, except leased and untried ones', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1), eventOf(2), eventOf(3), eventOf(4), eventOf(5), eventOf(6)], 6)
    const due = (await queue.lease(hookOf(1), LATER, LATER + HOUR, { ...plenty, limit: 5 })).deliveries
    await queue.finish(due.map((delivery) => fail(delivery, LATER, again(delivery, LATER + HOUR))))
    assert.deepEqual(ids(await leaseAll(queue, 1, LATER)), [deliveryOf(6)])
    await queue.release([deliveryOf(6)])
    const [one] = (
      await queue.lease(hookOf(1), LATER + HOUR, LATER + 2 * HOUR, { ...plenty, limit: 2 })
    ).deliveries.slice(1)
    assert.equal(one?.id, deliveryOf(1))
    assert.equal(await queue.expire(NOW + 5, LATER, 2), 2)
    assert.equal(await queue.expire(NOW + 5, LATER, 2), 1)
    assert.equal(await queue.expire(NOW + 5, LATER, 2), 0)
    const found = await Promise.all([1, 2, 3, 4, 5].map((number) => log.find(hookOf(1), deliveryOf(number))))
    const standing = found.map((delivery) => delivery?.status)
    assert.deepEqual(standing, ['pending', 'failed', 'failed', 'failed', 'pending'])
    const expired = await log.find(hookOf(1), deliveryOf(2))
    assert.deepEqual([expired?.reason, expired?.finishedAt, expired?.attempts], ['expired', LATER, 1])
    assert.equal(await queue.pendingCount(), 3)
    await queue.release([one.id])
    assert.equal(await queue.expire(LATER + 5 * HOUR, LATER, 9), 2)
    assert.equal((await log.find(hookOf(1), deliveryOf(6)))?.status, 'pending')
    // An early attempt within the first step counts as tried.
    const [six] = (await queue.lease(hookOf(1), LATER + 9 * HOUR, LATER + 10 * HOUR, plenty)).deliveries as [
      DueDelivery,
    ]
    await queue.finish([])
    await queue.release([six.id])
    const [early] = (await leaseAll(queue, 1, LATER + 9 * HOUR)) as [DueDelivery]
    const schedule = { ...early.schedule, stepDueAt: LATER + 10 * HOUR }
    await queue.finish([fail(early, LATER, { status: 'pending', nextAttemptAt: LATER + 9 * HOUR, schedule })])
    assert.equal(await queue.expire(LATER + 5 * HOUR, LATER, 9), 1)
  })

  test('one delivery can be leased before it is due, unless it is leased', async (context) => {
    const { queue, intake } = await open(context)
    await intake.add([eventOf(1, [1, 2]), eventOf(2)], 2)
    const lease = async (webhook: number, event: number) =>
      (await queue.leaseOne(hookOf(webhook), deliveryOf(event, webhook), NOW - HOUR, LATER))?.id
    assert.deepEqual(
      [await lease(1, 2), await lease(1, 2), await lease(2, 2), await lease(3, 1)],
      [deliveryOf(2), undefined, undefined, undefined],
    )
    assert.equal(await queue.nextDueAt(), NOW + 1)
    assert.equal(await queue.leaseOne(hookOf(2), deliveryOf(1, 1), NOW, LATER), undefined)
    const due = await leaseAll(queue, 1, LATER - 1)
    assert.deepEqual(ids(due), [deliveryOf(1)])
    await queue.finish(due.map((delivery) => succeed(delivery)))
    assert.equal(await lease(1, 1), undefined)
    await queue.release([deliveryOf(2)])
    assert.equal(await queue.nextDueAt(), NOW + 1)
    assert.equal(await lease(1, 2), deliveryOf(2))
  })

  test('a delivery postponed by a clock that was ahead is due after its wait by the true clock', async (context) => {
    const { queue, intake, log } = await open(context)
    const ahead = NOW + 24 * HOUR
    await intake.add(
      [1, 2, 3, 4, 5].map((number) => eventOf(number, [1], { createdAt: ahead + number })),
      5,
    )
    const [one, two, three, four] = (await leaseAll(queue, 1, ahead + HOUR)) as [
      DueDelivery,
      DueDelivery,
      DueDelivery,
      DueDelivery,
    ]
    await queue.release([deliveryOf(5)])
    const early = { ...three.schedule, step: 1, stepDueAt: ahead + HOUR }
    await queue.finish([
      fail(two, ahead, again(two, ahead + 5000)),
      fail(three, ahead, { status: 'pending', nextAttemptAt: ahead + 1000, schedule: early }),
      fail(four, ahead, again(four, NOW + 4000)),
    ])
    let steps = 0
    for (
      let after = await queue.correctTimes(NOW, null, 2);
      after !== null;
      after = await queue.correctTimes(NOW, after, 2)
    )
      steps++
    assert.ok(steps >= 2)
    const found = await Promise.all([1, 2, 3, 4, 5].map((number) => log.find(hookOf(1), deliveryOf(number))))
    const dueAt = found.map((delivery) => delivery?.nextAttemptAt)
    assert.deepEqual(dueAt, [ahead + 1, NOW + 5000, NOW + 30_000, NOW + 4000, NOW], 'the first is leased')
    assert.equal(await queue.nextDueAt(), NOW)
    await queue.release([one.id])
    assert.equal(await queue.correctTimes(NOW, null, 99), null)
    const schedules = (await leaseAll(queue, 1, NOW + HOUR)).map(({ id, schedule }) => [
      id,
      schedule.startedAt,
      schedule.stepDueAt,
    ])
    assert.deepEqual(schedules, [
      [deliveryOf(1), NOW, null],
      [deliveryOf(5), NOW, null],
      [deliveryOf(4), NOW, null],
      [deliveryOf(2), NOW, null],
      [deliveryOf(3), NOW, NOW + 30_000],
    ])
    assert.equal((await log.find(hookOf(1), deliveryOf(1)))?.createdAt, ahead + 1)
  })

  test('deliveries of a deleted subscription are cancelled up to the limit', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1, [1, 2]), eventOf(2), eventOf(3)], 3)
    assert.equal(await queue.cancel(hookOf(1), LATER, 2), 2)
    assert.deepEqual([await queue.cancel(hookOf(1), LATER, 2), await queue.cancel(hookOf(1), LATER, 2)], [1, 0])
    assert.equal((await log.find(hookOf(1), deliveryOf(3)))?.status, 'cancelled')
    assert.deepEqual(await queue.dueWebhooks(LATER, null, 10), [hookOf(2)])
    assert.equal(await queue.pendingCount(), 1)
  })

  test('after any sequence of calls the state in memory equals the log', async (context) => {
    const action = fc.record({
      kind: fc.constantFrom('add', 'lease', 'release', 'succeed', 'fail', 'cancel', 'expire', 'redeliver', 'prune'),
      webhook: fc.integer({ min: 1, max: 3 }),
      pick: fc.nat(5),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const { queue, intake, log } = await open(context)
        const held: DueDelivery[] = []
        let [now, made] = [NOW, 0]
        for (const { kind, webhook, pick } of actions) {
          now += 1000
          const taken = held[pick % Math.max(1, held.length)]
          if (kind === 'add')
            await intake.add([eventOf((made += 1), [webhook], { createdAt: now + 500 * (pick - 2) })], made)
          if (kind === 'lease')
            held.push(
              ...(await queue.lease(hookOf(webhook), now, now + HOUR, { limit: pick, maxBytes: 1e6 })).deliveries,
            )
          if (kind === 'cancel') await queue.cancel(hookOf(webhook), now, pick)
          if (kind === 'expire') await queue.expire(now - 20_000, now, pick)
          if (kind === 'redeliver' && made > 0)
            await log.redeliver(hookOf(webhook), deliveryOf(1 + (pick % made), webhook), now)
          if (kind === 'prune') await log.prune(now - 10_000, pick + 1)
          if (taken !== undefined && (kind === 'release' || kind === 'succeed' || kind === 'fail')) {
            held.splice(held.indexOf(taken), 1)
            if (kind === 'release') await queue.release([taken.id])
            else await queue.finish([kind === 'succeed' ? succeed(taken, now) : fail(taken, now)])
          }
          const query = {
            eventType: null,
            status: 'pending',
            startTime: null,
            endTime: null,
            after: null,
            limit: 100,
          } as const
          const pending = (
            await Promise.all([1, 2, 3].map((each) => log.list({ ...query, webhookId: hookOf(each) })))
          ).flat()
          const free = pending.filter(({ id }) => held.every((one) => one.id !== id))
          const dueAt = free.map(({ nextAttemptAt }) => nextAttemptAt ?? assert.fail('it is pending and never due'))
          assert.equal(await queue.pendingCount(), pending.length)
          assert.equal(await queue.nextDueAt(), dueAt.length === 0 ? null : Math.min(...dueAt))
          const due = free.filter(({ nextAttemptAt }) => (nextAttemptAt ?? 0) <= now).map(({ webhookId }) => webhookId)
          assert.deepEqual(await queue.dueWebhooks(now, null, 10), [...new Set(due)].sort())
        }
      }),
      { numRuns: 60 },
    )
  })
}
