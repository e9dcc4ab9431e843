import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import {
  attemptOf,
  deliveryOf,
  eventOf,
  fail,
  hookOf,
  HOUR,
  idOf,
  leaseAll,
  NOW,
  type OpenDeliveryStore,
  PROJECT,
  succeed,
} from './delivery-builders.test-support.ts'
import type { DeliveryQuery, PlacedDelivery } from './delivery-log.ts'
import type { DeliveryStatus, DueDelivery } from './delivery.ts'

const LATER = NOW + HOUR
const EXHAUSTED = { status: 'failed', reason: 'attempts_exhausted' } as const

/** The contract of every DeliveryLog. */
export function testDeliveryLog(open: OpenDeliveryStore): void {
  const all: DeliveryQuery = {
    webhookId: hookOf(1),
    eventType: null,
    status: null,
    startTime: null,
    endTime: null,
    after: null,
    limit: 100,
  }

  test('a delivery is returned with its attempts', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1, [1], { type: 'monitor.fired', body: '{"a":"ü"}' })], 1)
    const [due] = (await leaseAll(queue, 1, LATER)) as [DueDelivery]
    const refused = attemptOf({
      startedAt: LATER,
      response: null,
      error: { code: 'connection_refused', detail: 'nobody listens' },
    })
    const nextAttemptAt = LATER + 5000
    const schedule = { startedAt: NOW + 1, step: 1, stepDueAt: null }
    await queue.finish([{ delivery: due, attempt: refused, after: { status: 'pending', nextAttemptAt, schedule } }])
    const first = {
      id: deliveryOf(1),
      webhookId: hookOf(1),
      projectId: PROJECT,
      eventId: eventOf(1).id,
      eventType: 'monitor.fired',
      status: 'pending',
      reason: null,
      createdAt: NOW + 1,
      attempts: 1,
      lastResponseStatus: null,
      lastError: 'connection_refused',
      lastAttemptAt: LATER,
      nextAttemptAt,
      finishedAt: null,
    } as const
    assert.deepEqual(await log.find(hookOf(1), deliveryOf(1)), { ...first, body: '{"a":"ü"}', attemptList: [refused] })
    const [again] = (await leaseAll(queue, 1, nextAttemptAt)) as [DueDelivery]
    const answered = attemptOf({
      number: 2,
      startedAt: nextAttemptAt,
      response: { status: 410, headers: { 'x-b': '1', 'x-a': 'é' }, body: 'nul \u0000 \ufffd', truncated: true },
      error: { code: 'bad_response', detail: 'broken off' },
    })
    await queue.finish([{ delivery: again, attempt: answered, after: { status: 'failed', reason: 'gone' } }])
    const found = await log.find(hookOf(1), deliveryOf(1))
    assert.deepEqual(found, {
      ...first,
      status: 'failed',
      reason: 'gone',
      attempts: 2,
      lastResponseStatus: 410,
      lastError: 'bad_response',
      lastAttemptAt: nextAttemptAt,
      nextAttemptAt: null,
      finishedAt: nextAttemptAt + 13,
      body: '{"a":"ü"}',
      attemptList: [refused, answered],
    })
    const { body: _body, attemptList: _attempts, ...rest } = found
    const [{ place, ...listed }] = (await log.list(all)) as [PlacedDelivery]
    assert.equal(typeof place, 'number')
    assert.deepEqual(listed, rest)
  })

  test('a delivery of another subscription is not found', async (context) => {
    const { intake, log } = await open(context)
    await intake.add([eventOf(1, [1, 2])], 1)
    assert.equal(await log.find(hookOf(2), deliveryOf(1, 1)), undefined)
    assert.equal(await log.find(hookOf(3), deliveryOf(1, 1)), undefined)
    assert.equal(await log.redeliver(hookOf(2), deliveryOf(1, 1), LATER), undefined)
    assert.deepEqual(await log.list({ ...all, webhookId: hookOf(3) }), [])
  })

  test('the list applies every filter, newest first, page by page', async (context) => {
    const { queue, intake, log } = await open(context)
    const types = ['trace.committed', 'metric.event', 'ping'] as const
    const made = Array.from({ length: 36 }, (_, index) => index + 1)
    // Times that sometimes decrease.
    const createdAt = (number: number) => NOW + (number % 7) * 100 + number
    for (const number of made)
      await intake.add([eventOf(number, [1, 2], { type: types[number % 3]!, createdAt: createdAt(number) })], number)
    const standing = new Map<string, DeliveryStatus>()
    for (const [index, delivery] of (await leaseAll(queue, 1, LATER)).entries()) {
      if (index % 4 === 0) await queue.finish([succeed(delivery)])
      if (index % 4 === 1) await queue.finish([fail(delivery, LATER, EXHAUSTED)])
      if (index % 4 === 2) await queue.settle(delivery.id, { status: 'cancelled' }, LATER)
      const status = (['succeeded', 'failed', 'cancelled', 'pending'] as const)[index % 4]
      standing.set(delivery.id, status ?? 'pending')
    }
    const filter = fc.record({
      eventType: fc.constantFrom(null, ...types),
      status: fc.constantFrom(null, 'pending', 'succeeded', 'failed', 'cancelled'),
      startTime: fc.option(fc.integer({ min: NOW, max: NOW + 800 })),
      endTime: fc.option(fc.integer({ min: NOW, max: NOW + 800 })),
      limit: fc.integer({ min: 1, max: 9 }),
    })
    await fc.assert(
      fc.asyncProperty(filter, async (query) => {
        const expected = made
          .toReversed()
          .filter(
            (number) =>
              (query.eventType === null || types[number % 3] === query.eventType) &&
              (query.status === null || standing.get(deliveryOf(number)) === query.status) &&
              createdAt(number) >= (query.startTime ?? 0) &&
              createdAt(number) < (query.endTime ?? Infinity),
          )
        const walked: string[] = []
        for (let after: number | null = null; ;) {
          const page = await log.list({ ...all, ...query, after })
          walked.push(...page.map(({ id }) => id))
          if (page.length < query.limit) break
          after = page.at(-1)?.place ?? null
        }
        assert.deepEqual(
          walked,
          expected.map((number) => deliveryOf(number)),
        )
      }),
    )
  })

  test('a redelivery begins a new schedule at once and continues the count of attempts', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1), eventOf(2), eventOf(3), eventOf(4)], 4)
    const [one, two, three] = (await leaseAll(queue, 1, LATER)) as [DueDelivery, DueDelivery, DueDelivery]
    await queue.finish([succeed(one), fail(two, LATER, EXHAUSTED), fail(three, LATER)])
    const now = LATER + 1
    const redelivered = await log.redeliver(hookOf(1), one.id, now)
    assert.deepEqual(
      [redelivered?.status, redelivered?.nextAttemptAt, redelivered?.attempts, redelivered?.finishedAt],
      ['pending', now, 1, null],
    )
    assert.deepEqual(Object.keys(redelivered ?? {}).includes('place'), false)
    await log.redeliver(hookOf(1), two.id, now)
    await log.redeliver(hookOf(1), three.id, now)
    // Leased: its attempt decides.
    assert.equal((await log.redeliver(hookOf(1), deliveryOf(4), now))?.nextAttemptAt, NOW + 4)
    assert.equal(await queue.pendingCount(), 4)
    assert.equal(await queue.nextDueAt(), now)
    const due = await leaseAll(queue, 1, now)
    assert.deepEqual(
      due.map(({ id }) => id),
      [one, two, three].map(({ id }) => id),
    )
    for (const { schedule, attempts } of due) {
      assert.deepEqual([schedule, attempts], [{ startedAt: now, step: 0, stepDueAt: null }, 1])
    }
    await queue.finish(due.map((delivery) => succeed(delivery, now)))
    assert.deepEqual(
      (await log.find(hookOf(1), two.id))?.attemptList.map(({ number }) => number),
      [1, 2],
    )
    assert.equal((await log.find(hookOf(1), two.id))?.reason, null)
  })

  test('deliveries that failed since a time are redelivered in batches, oldest first', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add(
      [1, 2, 3, 4, 5, 6].map((number) => eventOf(number, [1, 2], { type: number % 2 ? 'ping' : 'metric.event' })),
      6,
    )
    const due = await leaseAll(queue, 1, LATER)
    await queue.finish(
      due.map((delivery, index) => (index === 3 ? succeed(delivery) : fail(delivery, LATER, EXHAUSTED))),
    )
    const first = await log.redeliverFailed(hookOf(1), NOW + 2, LATER, null, 2)
    assert.equal(first.count, 2)
    assert.deepEqual(
      (await leaseAll(queue, 1, LATER)).map(({ id }) => id),
      [deliveryOf(2), deliveryOf(3)],
    )
    const second = await log.redeliverFailed(hookOf(1), NOW + 2, LATER, first.after, 2)
    assert.equal(second.count, 2)
    const third = await log.redeliverFailed(hookOf(1), NOW + 2, LATER, second.after, 2)
    assert.deepEqual(third, { count: 0, after: null })
    assert.deepEqual(
      (await leaseAll(queue, 1, LATER)).map(({ id }) => id),
      [deliveryOf(5), deliveryOf(6)],
    )
    assert.equal((await log.find(hookOf(1), deliveryOf(1)))?.status, 'failed')
    assert.deepEqual(await log.redeliverFailed(hookOf(9), 0, LATER, null, 2), { count: 0, after: null })
  })

  test('old finished deliveries are removed with their attempts, and an event with its last delivery', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1, [1, 2]), eventOf(2)], 2)
    const [one, two] = (await leaseAll(queue, 1, LATER)) as [DueDelivery, DueDelivery]
    await queue.finish([succeed(one, LATER), succeed(two, LATER + 100)])
    assert.equal(await log.prune(LATER + 13, 10), 0)
    assert.equal(await log.prune(LATER + 1000, 1), 1)
    assert.equal(await log.find(hookOf(1), one.id), undefined)
    assert.equal((await log.find(hookOf(2), deliveryOf(1, 2)))?.body, '{"event":1}')
    assert.equal(await log.prune(LATER + 1000, 9), 1)
    assert.equal(await log.prune(Number.MAX_SAFE_INTEGER, 9), 0)
    assert.deepEqual(await log.list(all), [])
    assert.equal(await queue.pendingCount(), 1)
    // An event that is added again after its removal is stored again.
    await intake.add([eventOf(2)], 2)
    assert.deepEqual((await log.find(hookOf(1), two.id))?.attemptList, [])
  })

  test('deliveries of deleted subscriptions are removed in batches', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1, [1, 2, 3]), eventOf(2, [1, 3]), eventOf(3)], 3)
    await queue.finish((await leaseAll(queue, 3, LATER)).map((delivery) => fail(delivery)))
    assert.deepEqual((await log.webhookIds()).toSorted(), [hookOf(1), hookOf(2), hookOf(3)].toSorted())
    const deleted = [hookOf(1), hookOf(3), hookOf(4)]
    let removed = 0
    for (let step = 0; step < 10; step++) {
      const count = await log.forgetWebhooks(deleted, 2)
      assert.ok(count <= 2)
      removed += count
    }
    assert.equal(removed, 5)
    assert.equal(await log.forgetWebhooks(deleted, 2), 0)
    assert.deepEqual(await log.webhookIds(), [hookOf(2)])
    assert.deepEqual([await queue.pendingCount(), await queue.dueWebhooks(LATER + HOUR, null, 9)], [1, [hookOf(2)]])
    assert.deepEqual([await log.list(all), await log.list({ ...all, webhookId: hookOf(3) })], [[], []])
    assert.deepEqual(await queue.health(hookOf(3)), { failingSince: null, failuresInARow: 0 })
    await intake.add([eventOf(4)], 4)
    assert.equal((await log.list(all)).length, 1)
  })

  test('events of a deleted trace lose their bodies and are not sent; their deliveries stay in the log', async (context) => {
    const { queue, intake, log } = await open(context)
    const [gone, other] = [idOf('tr', 1), idOf('tr', 2)]
    const of = (number: number, traceId: TraceId) =>
      eventOf(number, [1], { contentOf: traceId, body: `{"of":${number}}` })
    await intake.add([of(1, gone), of(2, gone), of(3, gone), of(4, other)], 4)
    const [sent, underWay] = (await queue.lease(hookOf(1), LATER, LATER + HOUR, { limit: 2, maxBytes: 1000 }))
      .deliveries
    assert.ok(sent && underWay)
    await queue.finish([succeed(sent, LATER)])
    assert.equal(await log.forgetContent([gone], LATER, 2), 2)
    assert.equal(await log.forgetContent([gone], LATER, 2), 1)
    assert.equal(await log.forgetContent([gone], LATER, 2), 0)
    assert.equal(await queue.pendingCount(), 1)
    assert.deepEqual(
      (await log.list(all)).map(({ status, reason, finishedAt }) => [status, reason, finishedAt === null]),
      [
        ['pending', null, true],
        ['failed', 'trace_deleted', false],
        ['failed', 'trace_deleted', false],
        ['succeeded', null, false],
      ],
    )
    const found = await log.find(hookOf(1), sent.id)
    assert.deepEqual([found?.body, found?.attemptList.length], ['', 1])
    await queue.finish([fail(underWay, LATER)])
    assert.equal((await log.find(hookOf(1), underWay.id))?.reason, 'trace_deleted')
    assert.equal((await log.find(hookOf(1), underWay.id))?.attemptList.length, 1)
    assert.equal((await log.redeliver(hookOf(1), sent.id, LATER))?.status, 'succeeded')
    assert.deepEqual(await log.redeliverFailed(hookOf(1), 0, LATER, null, 10), { count: 0, after: null })
    assert.deepEqual(
      (await leaseAll(queue, 1, LATER + HOUR)).map(({ body }) => Buffer.from(body).toString()),
      ['{"of":4}'],
    )
  })

  test('an attempt for a removed subscription does not affect another one', async (context) => {
    const { queue, intake, log } = await open(context)
    await intake.add([eventOf(1)], 1)
    const [held] = await leaseAll(queue, 1, LATER)
    assert.ok(held)
    await queue.cancel(hookOf(1), LATER, 9)
    await log.forgetWebhooks([hookOf(1)], 9)
    await intake.add([eventOf(2, [2])], 2)
    await queue.settle(held.id, { status: 'cancelled' }, LATER)
    assert.deepEqual([await queue.dueWebhooks(LATER, null, 9), await queue.pendingCount()], [[hookOf(2)], 1])
    await queue.finish((await leaseAll(queue, 2, LATER)).map((delivery) => succeed(delivery)))
    assert.deepEqual(
      [await queue.dueWebhooks(LATER, null, 9), await queue.pendingCount(), await queue.nextDueAt()],
      [[], 0, null],
    )
  })
}
