import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MachineWorld, SECOND } from './machine-world.test-support.ts'

const MINUTE = 60 * SECOND

/** A world whose wall clock can be set independently of the timers. */
function worldWithClock() {
  const wall = { aheadMs: 0 }
  let now = () => 0
  const world = new MachineWorld({ clock: { now: () => now() + wall.aheadMs } })
  now = () => world.timers.now()
  return { world, wall }
}

test('after a clock that was a day ahead is corrected, retries follow the true time', async () => {
  const { world, wall } = worldWithClock()
  const webhook = world.subscribe((number) => ({ status: number < 2 ? 500 : 200 }))
  await world.start()
  wall.aheadMs = DAY
  const [id] = world.add(webhook)
  await world.pass(6 * SECOND)
  assert.equal(world.get(id).attempts.length, 2)
  wall.aheadMs = 0
  await world.pass(MINUTE)
  assert.equal(world.get(id).status, 'succeeded')
})

test('deliveries postponed while the clock was ahead are tried after a start with the true time', async () => {
  const { world, wall } = worldWithClock()
  const webhook = world.subscribe(() => ({ status: 500 }))
  wall.aheadMs = DAY
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(SECOND)
  await world.machine.stop(0)
  wall.aheadMs = 0
  world.receivers.set(webhook.url, () => ({ status: 200 }))
  world.machine = world.newMachine()
  await world.start()
  await world.pass(6 * SECOND)
  assert.equal(world.get(id).status, 'succeeded')
})

test('a correction that the store rejected is repeated', async () => {
  const { world, wall } = worldWithClock()
  const webhook = world.subscribe((number) => ({ status: number === 0 ? 500 : 200 }))
  await world.start()
  wall.aheadMs = DAY
  const [id] = world.add(webhook)
  await world.pass(SECOND)
  wall.aheadMs = 0
  let refusals = 3
  world.state.before = (method) => {
    if (method === 'correctTimes' && refusals-- > 0) throw new Error('busy')
  }
  await world.pass(2 * MINUTE)
  assert.equal(refusals < 0, true)
  assert.equal(world.get(id).status, 'succeeded')
})

test('setting the clock ahead gives up nothing untried, and no schedule begins after its end', async () => {
  const { world, wall } = worldWithClock()
  const webhook = world.subscribe(() => ({ status: 500, afterMs: 10 * SECOND }))
  await world.start()
  const ids = world.add(webhook, 40)
  wall.aheadMs = DAY + HOUR
  await world.pass(HOUR)
  for (const id of ids) {
    const { status, attempts } = world.get(id)
    assert.deepEqual([status, attempts.length >= 1], ['pending', true])
  }
})

test('a service that was down for days tries waiting deliveries before it gives any up', async () => {
  const { world } = worldWithClock()
  const webhook = world.subscribe((number) => ({ status: number < 5 ? 500 : 200 }))
  const ids = world.add(webhook, 5)
  await world.pass(3 * DAY)
  await world.start()
  await world.pass(MINUTE)
  assert.deepEqual(world.counts(), { succeeded: 5 })
  assert.ok(ids.every((id) => world.get(id).attempts.length === 2))
})
