import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { TEST_BOX } from '../../../lib/secret-box.test-support.ts'
import { systemTimers } from '../../../lib/time/timers.ts'
import { ManualTimers } from '../../../lib/time/manual-timers.test-support.ts'
import { StaleLeaseError } from '../../../ports/leases/lease-store.ts'
import {
  deliveryOf,
  eventOf,
  fail,
  hookOf,
  HOUR,
  idOf,
  leaseAll,
  SECOND,
  succeed,
} from '../../../ports/webhooks/delivery-builders.test-support.ts'
import type { DueDelivery } from '../../../ports/webhooks/delivery.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { openDatabaseClock } from './database-clock.ts'
import { postgresqlStoresOn } from './postgresql-stores.ts'
import { type TestPostgresql, testPostgresql } from './test-postgresql.test-support.ts'
import { WatchedCalls } from './watched-calls.test-support.ts'
import { openPostgresqlDeliveries } from '../deliveries/open-postgresql-deliveries.ts'

const NOW = Date.UTC(2026, 5, 1)
const PLENTY = { limit: 100, maxBytes: 1e9 }

const postgresql = await testPostgresql()
if (typeof postgresql === 'string') test('deliveries of several nodes', { skip: postgresql }, () => undefined)
else testNodes(postgresql)

function testNodes(server: TestPostgresql): void {
  /** Nodes on one database, under one clock, which passes by hand. */
  const openNodes = async (context: TestContext, mostLeased = 16) => {
    const url = await server.migratedUrl(context)
    const clock = { time: NOW + HOUR, now: () => clock.time }
    const calls = new WatchedCalls()
    const node = async (name: string) => {
      const timers = new ManualTimers()
      const database = calls.watch(await server.open(context, { url }))
      const onError = (error: unknown) => assert.fail(String(error))
      const store = await openPostgresqlDeliveries({
        database,
        box: TEST_BOX,
        node: name,
        clock,
        timers,
        mostLeased,
        onError,
      })
      const leases = postgresqlStoresOn(database, clock).leases
      return {
        ...store,
        database,
        timers,
        leases,
        lease: () => store.queue.lease(hookOf(1), clock.time, clock.time + HOUR, PLENTY),
      }
    }
    /** Renewals of the live nodes, each as long as that takes. */
    const pass = async (ms: number, alive: readonly { readonly timers: ManualTimers }[]) => {
      for (let passed = 0; passed < ms; passed += SECOND) {
        clock.time += SECOND
        for (const { timers } of alive) timers.advance(SECOND)
        await calls.settled()
      }
    }
    return { url, clock, pass, a: await node('a'), b: await node('b') }
  }
  const idsOf = (deliveries: readonly DueDelivery[]) => deliveries.map(({ id }) => id)

  test('two nodes lease different deliveries, and see what the other has added and finished', async (context) => {
    const { a, b, clock } = await openNodes(context)
    await a.intake.add(
      [1, 2, 3, 4].map((number) => eventOf(number)),
      4,
    )
    const [ofA, ofB] = await Promise.all(
      [a, b].map((node) => node.queue.lease(hookOf(1), clock.time, clock.time + HOUR, { limit: 2, maxBytes: 1e9 })),
    )
    assert.deepEqual(
      [...idsOf(ofA!.deliveries), ...idsOf(ofB!.deliveries)].toSorted(),
      [1, 2, 3, 4].map((number) => deliveryOf(number)),
    )
    await a.queue.finish(ofA!.deliveries.map((delivery) => succeed(delivery, clock.time)))
    assert.equal(await b.queue.pendingCount(), 2)
    assert.equal(await b.intake.position(), 4)
    // Somebody else's leases are not released.
    await a.queue.release(idsOf(ofB!.deliveries))
    assert.deepEqual((await a.lease()).deliveries, [])
  })

  test('a subscription has its most leased at all nodes together, also when they lease at once', async (context) => {
    const { a, b, clock } = await openNodes(context, 5)
    await a.intake.add(
      Array.from({ length: 40 }, (_, index) => eventOf(index + 1)),
      40,
    )
    const leased = await Promise.all([a, b, a, b, a, b].map((node) => node.lease()))
    const held = leased.flatMap(({ deliveries }) => deliveries)
    assert.equal(held.length, 5)
    assert.ok(leased.every(({ isCapped }) => isCapped))
    assert.equal(await a.queue.leaseOne(hookOf(1), deliveryOf(40), clock.time, clock.time + HOUR), undefined)
    const owner = leased.slice(0, 6).findIndex(({ deliveries }) => deliveries.includes(held[0]!)) % 2 === 0 ? a : b
    await owner.queue.finish([succeed(held[0]!, clock.time)])
    const after = await b.queue.lease(hookOf(1), clock.time, clock.time + HOUR, { limit: 1, maxBytes: 1e9 })
    assert.deepEqual([after.deliveries.length, after.isCapped], [1, false])
  })

  test('a dead node loses its leases after 8 s; a live one keeps them as long as it renews', async (context) => {
    const { a, b, pass, clock } = await openNodes(context)
    await a.intake.add([eventOf(1), eventOf(2, [2])], 2)
    const [lost] = (await a.lease()).deliveries
    await leaseAll(b.queue, 2, clock.time)
    await pass(7 * SECOND, [b])
    assert.deepEqual((await b.lease()).deliveries, [])
    await pass(2 * SECOND, [b])
    assert.deepEqual(await b.queue.dueWebhooks(clock.time, null, 9), [hookOf(1)])
    assert.deepEqual(idsOf((await b.lease()).deliveries), [lost!.id])
    await pass(20 * SECOND, [b])
    assert.deepEqual(await leaseAll(a.queue, 2, clock.time - 1), [])
  })

  test('a node renews its lease only while it has leased deliveries', async (context) => {
    const { a, pass, clock } = await openNodes(context)
    const heldUntil = sqlTextOn(a.database).query<object, { until: number }>('SELECT until FROM delivery_nodes')
    const held = () => a.database.read(heldUntil({}))
    assert.deepEqual(await held(), [])
    await a.intake.add([eventOf(1)], 1)
    await a.queue.lease(hookOf(1), clock.time, clock.time + 20 * SECOND, PLENTY)
    await pass(15 * SECOND, [a])
    const [{ until } = { until: 0 }] = await held()
    assert.ok(until > clock.time)
    await pass(30 * SECOND, [a])
    assert.ok((await held()).every((row) => row.until < clock.time))
  })

  test('what a stopped node finishes after another has leased it is listed, and decides nothing', async (context) => {
    const { a, b, pass, clock } = await openNodes(context)
    await a.intake.add([eventOf(1)], 1)
    const [stale] = (await a.lease()).deliveries as [DueDelivery]
    await pass(10 * SECOND, [b])
    const [present] = (await b.lease()).deliveries as [DueDelivery]
    await a.queue.finish([fail(stale, clock.time, { status: 'failed', reason: 'gone' })])
    assert.equal((await a.log.find(hookOf(1), stale.id))?.status, 'pending')
    assert.deepEqual((await a.lease()).deliveries, [], 'the other still has it')
    await b.queue.finish([fail(present, clock.time)])
    const found = await b.log.find(hookOf(1), stale.id)
    assert.deepEqual(
      [found?.status, found?.attempts, found?.nextAttemptAt, found?.attemptList.map(({ number }) => number)],
      ['pending', 2, clock.time + 5 * SECOND, [1, 2]],
    )
    await a.queue.finish([succeed(stale, clock.time)])
    assert.equal((await b.log.find(hookOf(1), stale.id))?.attempts, 2, 'a lease has one result')
  })

  test('a success counts under any lease, and a result that is written again changes nothing', async (context) => {
    const { a, b, pass, clock } = await openNodes(context)
    await a.intake.add([eventOf(1), eventOf(2)], 2)
    const [stale, other] = (await a.lease()).deliveries as [DueDelivery, DueDelivery]
    await pass(10 * SECOND, [b])
    const [present] = (await b.lease()).deliveries as [DueDelivery]
    await a.queue.finish([succeed(stale, clock.time)])
    await b.queue.finish([fail(present, clock.time, { status: 'failed', reason: 'gone' })])
    assert.equal((await b.log.find(hookOf(1), stale.id))?.status, 'succeeded')
    // As after an answer to COMMIT that was lost.
    const results = [fail(other, clock.time), succeed(stale, clock.time)]
    const before = await b.queue.health(hookOf(1))
    await a.queue.finish(results)
    await a.queue.finish(results)
    assert.deepEqual(
      [(await b.log.find(hookOf(1), other.id))?.attempts, (await b.queue.health(hookOf(1))).failuresInARow],
      [1, before.failuresInARow + 1],
    )
  })

  test('another node that opens a subscription knows of its failures', async (context) => {
    const { a, b, clock } = await openNodes(context)
    await a.intake.add([eventOf(1), eventOf(2)], 2)
    await a.queue.finish((await a.lease()).deliveries.map((delivery) => fail(delivery, clock.time)))
    assert.equal((await b.queue.health(hookOf(1))).failuresInARow, 2)
    await b.queue.forgetFailures(hookOf(1))
    assert.equal((await a.queue.health(hookOf(1))).failuresInARow, 0)
  })

  test('a dispatcher whose lease another has taken writes neither deliveries nor position', async (context) => {
    const { a, b, clock } = await openNodes(context)
    const old = await a.leases.take('dispatch', 'a', 15 * SECOND)
    assert.ok(old)
    const before = a.intakeUnder(old)
    await before.add([eventOf(1)], 1)
    clock.time += 16 * SECOND
    const taken = await b.leases.take('dispatch', 'b', 15 * SECOND)
    assert.ok(taken)
    const after = b.intakeUnder(taken)
    await after.add([eventOf(2)], 2)
    await b.queue.finish((await b.lease()).deliveries.map((delivery) => succeed(delivery, clock.time)))
    await b.log.prune(clock.time + HOUR, 10)
    await assert.rejects(before.add([eventOf(2), eventOf(3)], 3), StaleLeaseError)
    await assert.rejects(before.setPosition(9), StaleLeaseError)
    assert.deepEqual([await b.intake.position(), await b.queue.pendingCount()], [2, 0])
    // A ping needs no lease.
    await a.intake.add([eventOf(4, [1], { type: 'ping' })], null)
    assert.equal(await b.queue.pendingCount(), 1)
  })

  test('an event whose trace was deleted while it was read becomes no delivery', async (context) => {
    const { a, url } = await openNodes(context)
    const [gone, present] = [idOf('tr', 1), idOf('tr', 2)]
    const hex = Buffer.from(idToBytes(gone)).toString('hex')
    await server.query(url, `INSERT INTO deleted_traces (trace_id, project_id) VALUES ('\\x${hex}', '\\x00')`)
    await a.intake.add([eventOf(1, [1], { contentOf: gone }), eventOf(2, [1], { contentOf: present })], 2)
    assert.deepEqual(idsOf((await a.lease()).deliveries), [deliveryOf(2)])
  })

  test('subscriptions are removed while others get deliveries, and none loses its lane', async (context) => {
    const { a, b } = await openNodes(context)
    for (let round = 0; round < 20; round++) {
      const add = a.intake.add([eventOf(round * 2 + 1), eventOf(round * 2 + 2, [1, 2])], null)
      await Promise.all([add, b.log.forgetWebhooks([hookOf(1)], 100)])
    }
    await b.log.forgetWebhooks([hookOf(1)], 1000)
    assert.equal(await a.queue.pendingCount(), 20)
    assert.deepEqual(await a.log.webhookIds(), [hookOf(2)])
  })

  test('the clock of the database is the same at nodes whose own clocks differ by an hour', async (context) => {
    const url = await server.migratedUrl(context)
    const onError = (error: unknown) => assert.fail(String(error))
    const open = async (aheadMs: number) => {
      const timers = { ...systemTimers, now: () => systemTimers.now() + aheadMs }
      const clock = await openDatabaseClock({ database: await server.open(context, { url }), timers, onError })
      context.after(() => clock.close())
      return clock
    }
    const clocks = await Promise.all([0, HOUR, -HOUR].map(open))
    const [row] = await server.query(url, 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
    for (const clock of clocks) assert.ok(Math.abs(clock.now() - Number(row?.['now'])) < 1000)
  })
}
