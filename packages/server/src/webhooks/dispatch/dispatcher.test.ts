import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectId, TraceId, WebhookId } from '@spoor/contract/ids'
import fc from 'fast-check'
import type { MonitorTransition } from '../../ports/journal/monitor-transition.ts'
import { DomainError } from '../../lib/domain-error.ts'
import type { DeliveryStore } from '../../storage/sql/deliveries/open-delivery-store.ts'
import { temporaryDeliveryStore } from '../../storage/sql/deliveries/temporary-delivery-store.test-support.ts'
import { hookOf, idOf, NOW, PROJECT } from '../../ports/webhooks/delivery-builders.test-support.ts'
import { DispatchWorld } from './dispatch-world.test-support.ts'
import { deliveryIdOf, eventIdAt } from './event-id.ts'

const OTHER: ProjectId = idOf('proj', 2)
const UNAVAILABLE = new DomainError('storage_unavailable', 'not now')

const ALL = { eventType: null, status: null, startTime: null, endTime: null, after: null, limit: 100_000 }

interface Sent {
  readonly type: string
  readonly data: { readonly trace?: { readonly id: string }; readonly reason?: string }
}

async function start(): Promise<{ readonly world: DispatchWorld; readonly store: DeliveryStore }> {
  const store = temporaryDeliveryStore()
  await store.intake.setPosition(0)
  const world = new DispatchWorld(store.intake)
  await world.dispatcher.start()
  return { world, store }
}

/** Bodies of a subscription's deliveries, oldest first. */
async function sentTo(store: DeliveryStore, webhookId: WebhookId): Promise<Sent[]> {
  const listed = (await store.log.list({ ...ALL, webhookId })).toReversed()
  const found = await Promise.all(listed.map(({ id }) => store.log.find(webhookId, id)))
  return found.map((delivery) => JSON.parse(delivery?.body ?? '') as Sent)
}

function tracesOf(sent: readonly Sent[]): (string | undefined)[] {
  return sent.map(({ data }) => data.trace?.id)
}

test('each event becomes one delivery for each matching subscription, and the sender is woken', async () => {
  const { world, store } = await start()
  world.audience.subscribe(hookOf(1))
  world.audience.subscribe(hookOf(2))
  const ids = world.commit(3)
  await world.dispatcher.idle()
  for (const hook of [hookOf(1), hookOf(2)]) assert.deepEqual(tracesOf(await sentTo(store, hook)), ids)
  assert.deepEqual(world.woken, [hookOf(1), hookOf(2)])
  assert.deepEqual([await store.intake.position(), world.dispatcher.position], [3, 3])
  const eventId = eventIdAt(1, NOW)
  const first = await store.log.find(hookOf(1), deliveryIdOf(eventId, hookOf(1), NOW))
  assert.deepEqual([first?.eventId, first?.createdAt, first?.nextAttemptAt], [eventId, NOW, NOW])
})

test('the body of every event type contains its data', async () => {
  const { world, store } = await start()
  const transition: MonitorTransition = {
    projectId: PROJECT,
    monitorId: idOf('mon', 1),
    revision: 1,
    group: null,
    to: 'fired',
    cause: 'evaluation',
    previouslyEvaluatedAt: null,
    at: NOW,
    value: 7,
    samples: 3,
    threshold: 5,
    monitor: '{"id":"mon_1"}',
  }
  const traceId = idOf('tr', 9)
  const events = [
    'trace.flagged',
    'metric.event',
    'monitor.fired',
    'monitor.resolved',
    'cluster.created',
    'cluster.shifted',
  ] as const
  world.audience.subscribe(hookOf(1), { events })
  world.publish([
    { type: 'trace.flagged', traceId, reason: 'why' },
    { type: 'trace.flagged', traceId, reason: null },
    { type: 'trace.committed', traceId },
    { type: 'metric.event', traceId, eventId: idOf('mev', 4) },
    { type: 'monitor.fired', transition },
    { type: 'monitor.resolved', transition: { ...transition, value: null } },
    { type: 'cluster.created', clusterId: idOf('clu', 1), data: '{"cluster":{"id":"clu_1"}}' },
    { type: 'cluster.shifted', clusterId: idOf('clu', 1), data: '{"cluster":{"id":"clu_1"},"similarity":0.5}' },
  ])
  await world.dispatcher.idle()
  const at = new Date(NOW).toISOString()
  assert.deepEqual(
    (await sentTo(store, hookOf(1))).map(({ type, data }) => [type, data]),
    [
      ['trace.flagged', { trace: { id: traceId }, reason: 'why' }],
      ['trace.flagged', { trace: { id: traceId } }],
      ['metric.event', { event: { id: idOf('mev', 4) } }],
      ['monitor.fired', { monitor: { id: 'mon_1' }, group: null, value: 7, at }],
      ['monitor.resolved', { monitor: { id: 'mon_1' }, group: null, value: null, at }],
      ['cluster.created', { cluster: { id: 'clu_1' } }],
      ['cluster.shifted', { cluster: { id: 'clu_1' }, similarity: 0.5 }],
    ],
  )
})

test('a subscription gets the events of its project and its types, after the position at which it started', async () => {
  const { world, store } = await start()
  world.audience.subscribe(hookOf(1), { projectId: OTHER })
  world.audience.subscribe(hookOf(2), { events: ['metric.event'] })
  world.audience.subscribe(hookOf(3), { sincePosition: 2 })
  world.audience.subscribe(hookOf(4), { enabled: false })
  const [, , third] = world.commit(3)
  const [foreign] = world.commit(1, OTHER)
  await world.dispatcher.idle()
  assert.deepEqual(tracesOf(await sentTo(store, hookOf(1))), [foreign])
  assert.deepEqual(await sentTo(store, hookOf(2)), [])
  assert.deepEqual(tracesOf(await sentTo(store, hookOf(3))), [third])
  assert.deepEqual(await sentTo(store, hookOf(4)), [])
})

test('subscriptions and deletions made while rows are read are respected', async () => {
  const { world, store } = await start()
  world.audience.subscribe(hookOf(1))
  world.audience.subscribe(hookOf(2))
  world.audience.subscribe(hookOf(3))
  const ids = world.commit(3)
  world.duringRows = () => {
    world.audience.subscribe(hookOf(2), { enabled: false })
    world.audience.webhooks.delete(hookOf(3))
    world.audience.subscribe(hookOf(4), { sincePosition: 3 })
    world.journal.delete(ids[1] as TraceId)
  }
  await world.dispatcher.idle()
  assert.deepEqual(tracesOf(await sentTo(store, hookOf(1))), [ids[0], ids[2]])
  const others = await Promise.all([2, 3, 4].map((number) => sentTo(store, hookOf(number))))
  assert.deepEqual(others, [[], [], []])
})

test('dispatching continues at the stored position, and fails without one that the journal contains', async () => {
  const store = temporaryDeliveryStore()
  const world = new DispatchWorld(store.intake)
  world.audience.subscribe(hookOf(1))
  await assert.rejects(world.dispatcher.start(), /null/)
  const ids = world.commit(60)
  await store.intake.setPosition(61)
  await assert.rejects(world.dispatcher.start(), /61/)
  await store.intake.setPosition(20)
  await world.dispatcher.start()
  await world.dispatcher.idle()
  assert.deepEqual(tracesOf(await sentTo(store, hookOf(1))), ids.slice(20))
})

test('events committed under a clock that was ahead are due at once', async () => {
  const { world, store } = await start()
  world.audience.subscribe(hookOf(1))
  world.nowMs = NOW - 24 * 3_600_000
  world.commit(1)
  await world.dispatcher.idle()
  const [first] = await store.log.list({ ...ALL, webhookId: hookOf(1) })
  assert.deepEqual([first?.createdAt, first?.nextAttemptAt], [NOW, world.nowMs])
})

test('ten thousand events are dispatched in bounded batches, with turns of the event loop between them', async () => {
  const { world, store } = await start()
  await world.dispatcher.stop()
  for (let hook = 1; hook <= 4; hook++) world.audience.subscribe(hookOf(hook))
  world.audience.subscribe(hookOf(9), { projectId: OTHER })
  for (let commit = 0; commit < 25; commit++) {
    world.commit(400)
    world.commit(1, OTHER)
  }
  await world.restart()
  let turns = 0
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await world.dispatcher.idle()
  isDone = true
  assert.equal(await store.queue.pendingCount(), 40_025)
  assert.ok(Math.max(...world.batches) <= 500, String(Math.max(...world.batches)))
  assert.ok(turns >= world.batches.length)
})

test('a dispatcher far behind the journal reads small pages, and no row twice', async () => {
  const { world, store } = await start()
  await world.dispatcher.stop()
  world.audience.subscribe(hookOf(1))
  world.audience.subscribe(hookOf(2))
  world.audience.subscribe(hookOf(3))
  for (let commit = 0; commit < 10; commit++) world.commit(700)
  await world.restart()
  await world.dispatcher.idle()
  assert.equal(await store.queue.pendingCount(), 21_000)
  assert.equal(world.journal.largestRead, 700)
  assert.ok(world.journal.eventsRead <= 7000, String(world.journal.eventsRead))
})

test('an event with more subscriptions than a batch may have is dispatched alone', async () => {
  const { world, store } = await start()
  for (let hook = 1; hook <= 2100; hook++) world.audience.subscribe(hookOf(hook))
  world.commit(2)
  await world.dispatcher.idle()
  assert.deepEqual(world.batches, [2100, 2100])
  assert.equal(await store.queue.pendingCount(), 4200)
})

test('without enabled subscriptions nothing is read, and the position is written rarely', async () => {
  const { world, store } = await start()
  assert.equal(world.positionWrites, 0)
  const reads = world.journal.reads
  for (let commit = 0; commit < 50; commit++) {
    world.commit(2)
    await world.dispatcher.idle()
  }
  assert.deepEqual([world.positionWrites, world.journal.reads, world.rowReads], [0, reads, 0])
  world.timers.advance(1000)
  await world.settle()
  assert.deepEqual([world.positionWrites, await store.intake.position()], [1, 100])
  world.timers.advance(5000)
  world.commit(10_000)
  await world.dispatcher.idle()
  assert.deepEqual([world.positionWrites, await store.intake.position()], [2, 10_100])
  world.commit(1)
  await world.dispatcher.idle()
  await world.dispatcher.stop()
  assert.deepEqual([await store.intake.position(), world.timers.pending], [10_101, 0])
})

test('events pruned from the journal before they were dispatched are reported, and dispatching continues after them', async () => {
  const { world, store } = await start()
  world.audience.subscribe(hookOf(1))
  await world.dispatcher.stop()
  for (let commit = 0; commit < 100; commit++) world.commit(1)
  world.journal.pruneThrough(40)
  await world.restart()
  await world.dispatcher.idle()
  assert.deepEqual(world.gaps, [[0, 40]])
  assert.equal((await sentTo(store, hookOf(1))).length, 60)
})

test('an unavailable store is retried and reported once, and no event is lost', async () => {
  const { world, store } = await start()
  world.audience.subscribe(hookOf(1))
  world.faults.rows = UNAVAILABLE
  const ids = world.commit(2)
  await world.settle()
  world.faults.beforeAdd = UNAVAILABLE
  ids.push(...world.commit(1))
  await world.settle()
  assert.deepEqual(tracesOf(await sentTo(store, hookOf(1))), ids)
  assert.equal(world.errors.length, 2)
  await world.dispatcher.stop()
  assert.equal(world.timers.pending, 0)
})

test('the back-off between tries grows, and a stop does not wait for it', async () => {
  const { world } = await start()
  world.audience.subscribe(hookOf(1))
  world.commit(1)
  let tries = 0
  world.duringRows = () => {
    tries += 1
    throw UNAVAILABLE
  }
  await world.settle()
  assert.ok(tries > 3 && tries < 15, String(tries))
  assert.equal(world.errors.length, 1)
  await world.dispatcher.stop()
  assert.equal(world.timers.pending, 0)
})

test('each event becomes exactly one delivery, wherever and however often the process dies', async () => {
  const step = fc.record({
    commit: fc.integer({ min: 0, max: 4 }),
    project: fc.constantFrom(PROJECT, OTHER),
    fault: fc.constantFrom(null, 'rows' as const, 'beforeAdd' as const, 'afterAdd' as const),
    die: fc.boolean(),
    waits: fc.nat(3),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
      const { world, store } = await start()
      world.audience.subscribe(hookOf(1))
      world.audience.subscribe(hookOf(2), { projectId: OTHER })
      world.audience.subscribe(hookOf(3))
      const expected = new Map<ProjectId, TraceId[]>([
        [PROJECT, []],
        [OTHER, []],
      ])
      for (const { commit, project, fault, die, waits } of steps) {
        if (fault !== null) world.faults[fault] = UNAVAILABLE
        if (commit > 0) expected.get(project)?.push(...world.commit(commit, project))
        for (let wait = 0; wait < waits; wait++) await new Promise((resolve) => setImmediate(resolve))
        if (die) await world.restart()
      }
      Object.assign(world.faults, { rows: null, beforeAdd: null, afterAdd: null })
      await world.settle()
      for (const [number, project] of [
        [1, PROJECT],
        [2, OTHER],
        [3, PROJECT],
      ] as const) {
        assert.deepEqual(tracesOf(await sentTo(store, hookOf(number))), expected.get(project))
      }
      await world.dispatcher.stop()
      store.close()
    }),
    { numRuns: 40 },
  )
})
