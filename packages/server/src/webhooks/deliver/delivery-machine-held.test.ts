import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryId } from '@spoor/contract/ids'
import { HOUR, MachineWorld, SECOND } from './machine-world.test-support.ts'

const MINUTE = 60 * SECOND
const DEAD = () => ({ error: 'connection_refused' as const })

/** A receiver that has been dead for an hour, with fifty waiting deliveries. */
async function deadWorld() {
  const world = new MachineWorld()
  const webhook = world.subscribe(DEAD)
  await world.start()
  const ids = world.add(webhook, 50)
  await world.pass(HOUR)
  return { world, webhook, ids }
}

test('an urgent delivery is sent to a failing receiver at once, before older ones', async () => {
  const { world, webhook, ids } = await deadWorld()
  const wanted = ids.at(-1) as DeliveryId
  const before = world.arrivals.length
  await world.deliveries.log.redeliver(webhook.id, wanted, world.timers.now())
  world.machine.sendNow(webhook.id, wanted)
  await world.pass(0)
  assert.deepEqual(
    world.arrivals.slice(before).map(({ headers }) => headers['x-spoor-delivery']),
    [wanted],
  )
  // It does not end the back-off of the others.
  await world.pass(20 * SECOND)
  assert.equal(world.arrivals.length, before + 1)
})

test('after a successful urgent delivery the others follow at once', async () => {
  const { world, webhook, ids } = await deadWorld()
  world.receivers.set(webhook.url, () => ({ status: 200 }))
  world.machine.sendNow(webhook.id, ids[7] as DeliveryId)
  await world.pass(2 * SECOND)
  const due = world.state.all().filter(({ nextAttemptAt }) => (nextAttemptAt ?? Infinity) <= world.timers.now())
  assert.deepEqual([world.get(ids[7]).status, due.length], ['succeeded', 0])
})

test('urgent deliveries are sent one by one, after an attempt under way, and each once', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ error: 'timeout', afterMs: 15 * SECOND }))
  await world.start()
  const ids = world.add(webhook, 40)
  await world.pass(10 * MINUTE)
  const counts = ids.slice(-3).map((id) => world.get(id).attempts.length)
  for (const id of ids.slice(-3)) {
    world.machine.sendNow(webhook.id, id)
    world.machine.sendNow(webhook.id, id)
  }
  const before = world.arrivals.length
  await world.pass(2 * MINUTE)
  const next = world.arrivals.slice(before).map(({ headers }) => headers['x-spoor-delivery'])
  assert.deepEqual(new Set(next.slice(0, 3)), new Set(ids.slice(-3)))
  assert.ok(counts.every((count, index) => world.get(ids.at(index - 3)).attempts.length > count))
  await world.machine.stop(0)
  assert.deepEqual([world.machine.heldCount, world.state.leased.size], [0, 0])
})

test('the end of the back-off of a receiver is reported and respected', async () => {
  const { world, webhook } = await deadWorld()
  for (let round = 0; round < 200; round++) {
    const heldUntil = world.machine.heldUntil(webhook.id)
    const before = world.arrivals.length
    if (heldUntil === null) {
      // The next attempt is sent within one scan interval.
      await world.pass(2 * SECOND)
      assert.ok(world.arrivals.length > before)
      continue
    }
    assert.ok(heldUntil > world.timers.now() && heldUntil <= world.timers.now() + MINUTE)
    await world.pass(heldUntil - world.timers.now() - 1)
    assert.equal(world.arrivals.length, before)
    await world.pass(2 * SECOND)
    assert.ok(world.arrivals.length > before)
  }
  assert.equal(world.machine.heldUntil(world.subscribe(DEAD).id), null)
})
