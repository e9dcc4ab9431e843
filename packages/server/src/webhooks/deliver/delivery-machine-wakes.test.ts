import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, MachineWorld, SECOND } from './machine-world.test-support.ts'

const MINUTE = 60 * SECOND

test('a delivery added during a back-off is sent at its end, even if nothing else is due', async () => {
  const world = new MachineWorld()
  let isDead = true
  const webhook = world.subscribe(() => ({ status: isDead ? 503 : 200 }))
  await world.start()
  world.add(webhook, 10, 'ping')
  await world.pass(100)
  assert.deepEqual([world.counts(), world.machine.laneCounts], [{ failed: 10 }, { active: 0, backingOff: 1 }])
  isDead = false
  const [id] = world.add(webhook)
  await world.pass(3 * SECOND)
  assert.equal(world.get(id).status, 'succeeded')
})

test('a delivery added during a back-off does not wait for older ones', async () => {
  const world = new MachineWorld()
  let isDead = true
  const webhook = world.subscribe(() => ({ status: isDead ? 503 : 200 }))
  await world.start()
  world.add(webhook, 10)
  const isLongWait = async () => ((await world.queue.nextDueAt()) ?? 0) - world.timers.now() > 10 * MINUTE
  while (world.machine.laneCounts.backingOff === 0 || !(await isLongWait())) await world.pass(SECOND)
  isDead = false
  await world.pass(3 * SECOND)
  const [id] = world.add(webhook)
  await world.pass(61 * SECOND)
  assert.equal(world.get(id).status, 'succeeded')
})

test('a subscription that could not be read is read again, even if nothing else is due', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 200 }))
  await world.start()
  world.directory.before = () => {
    world.directory.before = () => undefined
    throw new Error('locked')
  }
  const [id] = world.add(webhook)
  await world.pass(7 * SECOND)
  assert.equal(world.get(id).status, 'succeeded')
})

test('leases that could not be released are released when the store is available again', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 200 }), { enabled: false })
  await world.start()
  world.state.before = (method) => {
    if (method !== 'release') return
    world.state.before = () => undefined
    throw new Error('busy')
  }
  const [id] = world.add(webhook)
  await world.pass(SECOND)
  assert.deepEqual([world.state.leased.size, world.machine.heldCount], [0, 0])
  world.directory.edit(webhook.id, { enabled: true })
  await world.pass(MINUTE)
  assert.equal(world.get(id).status, 'succeeded')
})

test('a lane that waits for free bytes gets those released without an attempt', async () => {
  const world = new MachineWorld({ rules: { leaseBytes: 400, mostBytes: 400 } })
  const broken = world.subscribe(() => ({ status: 200 }))
  const fine = world.subscribe(() => ({ status: 200 }))
  world.add(broken, 5)
  world.add(fine, 5)
  world.directory.before = () => {
    throw new Error('locked')
  }
  await world.start()
  world.directory.before = () => undefined
  await world.pass(HOUR / 60)
  assert.deepEqual(world.counts(), { succeeded: 10 })
})

test('a machine that was not started is not woken, and sets no timer', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 200 }))
  world.add(webhook)
  world.machine.wake()
  world.machine.reconsider(webhook.id)
  await world.pass(MINUTE)
  assert.deepEqual([world.arrivals.length, world.timers.pending], [0, 0])
  await world.machine.stop(0)
  world.machine.wake([webhook.id])
  assert.deepEqual([world.timers.pending, world.machine.heldCount], [0, 0])
})
