import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, HOUR, MachineWorld, NOON, SECOND } from './machine-world.test-support.ts'

const MINUTE = 60 * SECOND

test('a disabled subscription gets nothing until it is enabled again', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 200, afterMs: 100 }))
  await world.start()
  const ids = world.add(webhook, 40)
  await world.pass(50)
  world.directory.edit(webhook.id, { enabled: false })
  await world.pass(HOUR)
  // Attempts under way have ended; the other deliveries are not leased.
  assert.deepEqual(world.counts(), { succeeded: 16, pending: 24 })
  assert.deepEqual([world.machine.heldCount, world.state.leased.size], [0, 0])
  world.directory.edit(webhook.id, { enabled: true })
  world.machine.reconsider(webhook.id)
  await world.pass(SECOND)
  assert.deepEqual(world.counts(), { succeeded: 40 })
  assert.ok(ids.every((id) => world.get(id).attempts.length === 1))
})

test('a subscription enabled without a notification is found within half a minute', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 200 }), { enabled: false })
  world.add(webhook)
  await world.start()
  await world.pass(MINUTE)
  assert.deepEqual(world.counts(), { pending: 1 })
  world.directory.edit(webhook.id, { enabled: true })
  await world.pass(31 * SECOND)
  assert.deepEqual(world.counts(), { succeeded: 1 })
})

test('deliveries of a subscription disabled for a day are given up', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 200 }), { enabled: false })
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(DAY + MINUTE)
  assert.deepEqual([world.get(id).reason, world.get(id).attempts.length], ['expired', 0])
})

test('deliveries of a deleted subscription are cancelled, except those that succeed meanwhile', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 200, afterMs: 100 }))
  await world.start()
  const ids = world.add(webhook, 1500)
  await world.pass(50)
  world.directory.drop(webhook.id)
  await world.pass(MINUTE)
  assert.deepEqual(world.counts(), { succeeded: 16, cancelled: 1484 })
  assert.equal(world.arrivals.length, 16)
  assert.deepEqual([world.machine.heldCount, world.machine.laneCounts], [0, { active: 0, backingOff: 0 }])
  assert.equal(world.get(ids.at(-1)).attempts.length, 0)
})

test('a delivery cancelled during a failing attempt stays cancelled', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 500, afterMs: 100 }))
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(50)
  world.directory.drop(webhook.id)
  await world.queue.cancel(webhook.id, world.timers.now(), 100)
  await world.pass(DAY)
  assert.deepEqual([world.get(id).status, world.get(id).attempts.length], ['cancelled', 1])
})

test('the next attempt uses a changed url and secret', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 500, afterMs: 100 }))
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(50)
  world.directory.edit(webhook.id, { secrets: ['new', 'secret'] })
  await world.pass(10 * SECOND)
  world.receivers.set('https://other.test/', () => ({ status: 200 }))
  world.directory.edit(webhook.id, { url: 'https://other.test/', secrets: ['new'] })
  await world.pass(MINUTE)
  assert.deepEqual(
    world.get(id).attempts.map(({ url, requestHeaders }) => [url, requestHeaders['webhook-signature']]),
    [
      [webhook.url, 'secret'],
      [webhook.url, 'new secret'],
      ['https://other.test/', 'new'],
    ],
  )
})

test('a subscription with a new url is tried at once, even if its old receiver was dead', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ error: 'timeout', afterMs: 15_000 }))
  await world.start()
  world.add(webhook, 100)
  await world.pass(HOUR)
  world.receivers.set('https://other.test/', () => ({ status: 200 }))
  world.directory.edit(webhook.id, { url: 'https://other.test/' })
  await world.queue.forgetFailures(webhook.id)
  world.machine.reconsider(webhook.id)
  await world.pass(15 * SECOND)
  assert.ok((world.counts()['succeeded'] ?? 0) >= 40)
})

test('while the store is unavailable nothing is sent, no result is lost, and the error is reported once', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 200, afterMs: 20 }))
  await world.start()
  world.add(webhook, 100)
  await world.pass(30)
  const sent = world.arrivals.length
  world.state.before = () => {
    throw new Error('the disk is full')
  }
  await world.pass(10 * MINUTE)
  assert.equal(world.arrivals.length, 32)
  assert.ok(sent <= 32)
  assert.deepEqual(world.errors, ['deliveries wait: their store cannot be used'])
  world.state.before = () => undefined
  await world.pass(10 * SECOND)
  assert.deepEqual(world.counts(), { succeeded: 100 })
  // None was sent twice, although the leases have expired.
  assert.equal(world.arrivals.length, 100)
  world.state.before = () => {
    throw new Error('the disk is full again')
  }
  world.machine.wake()
  await world.pass(MINUTE)
  assert.equal(world.errors.length, 2)
  await world.machine.stop(0)
})

test('occasional store failures lose nothing', async () => {
  const world = new MachineWorld()
  const webhooks = [1, 2, 3].map(() =>
    world.subscribe((number) => ({ status: number % 3 === 0 ? 500 : 200, afterMs: 20 })),
  )
  await world.start()
  for (const webhook of webhooks) world.add(webhook, 50)
  let calls = 1
  world.state.before = () => {
    calls = (calls * 48_271) % 2_147_483_647
    if (calls % 3 === 0) throw new Error('busy')
  }
  await world.pass(HOUR)
  assert.deepEqual(world.counts(), { succeeded: 150 })
  for (const { attempts } of world.state.all()) {
    assert.deepEqual(
      attempts.map(({ number }) => number),
      attempts.map((_, index) => index + 1),
    )
  }
})

test('a subscription that cannot be read delays no other', async () => {
  const world = new MachineWorld()
  const broken = world.subscribe(() => ({ status: 200 }))
  const fine = world.subscribe(() => ({ status: 200 }))
  const findSigned = world.directory.findSigned.bind(world.directory)
  let isBroken = true
  world.directory.findSigned = async (id, now) => {
    if (isBroken && id === broken.id) throw new Error('its secret cannot be opened')
    return findSigned(id, now)
  }
  await world.start()
  const [waiting] = world.add(broken, 3)
  world.add(fine, 3)
  await world.pass(MINUTE)
  assert.deepEqual(world.counts(), { succeeded: 3, pending: 3 })
  assert.deepEqual(world.errors, ['deliveries wait: a subscription cannot be read'])
  isBroken = false
  await world.pass(10 * SECOND)
  assert.equal(world.get(waiting).status, 'succeeded')
})

test('a subscription that could not be disabled is disabled later', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 410 }))
  await world.start()
  world.directory.before = (method) => {
    if (method === 'disable') throw new Error('locked')
  }
  world.add(webhook)
  await world.pass(MINUTE)
  assert.equal(world.errors.length, 1)
  world.directory.before = () => undefined
  world.add(webhook)
  await world.pass(MINUTE)
  assert.equal(world.webhook(webhook.id).disabledReason, 'gone')
})

test('a receiver that is gone gets nothing more, whatever changes meanwhile except its url', async () => {
  const world = new MachineWorld()
  const changes = [{ description: 'new' }, { secrets: ['new', 'secret'] }, { url: 'https://other.test/' }]
  const webhooks = changes.map(() => world.subscribe(() => ({ status: 410, afterMs: 100 })))
  await world.start()
  for (const webhook of webhooks) world.add(webhook)
  await world.pass(50)
  webhooks.forEach(({ id }, index) => world.directory.edit(id, changes[index] ?? {}))
  await world.pass(SECOND)
  assert.deepEqual(
    webhooks.map(({ id }) => world.webhook(id).disabledReason),
    ['gone', 'gone', null],
  )
})

test('a stop waits for attempts under way and releases other leases', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe((number) => ({ status: 200, afterMs: number < 8 ? 100 : 10_000 }))
  await world.start()
  world.add(webhook, 40)
  await world.pass(50)
  const stopped = world.machine.stop(SECOND)
  await world.pass(2 * SECOND)
  await stopped
  assert.deepEqual(world.counts(), { succeeded: 8, pending: 32 })
  assert.deepEqual([world.state.leased.size, world.machine.heldCount, world.machine.inFlight], [0, 0, 0])
  // An interrupted attempt does not count.
  for (const { status, attempts } of world.state.all()) assert.equal(attempts.length, status === 'succeeded' ? 1 : 0)
  assert.equal((await world.queue.health(webhook.id)).failuresInARow, 0)
  assert.equal(world.timers.pending, 0)
  world.machine.wake([webhook.id])
  await world.pass(MINUTE)
  assert.equal(world.arrivals.length, 16)
  world.machine = world.newMachine()
  await world.start()
  await world.pass(MINUTE)
  assert.deepEqual(world.counts(), { succeeded: 40 })
})

test('deliveries leased by a dead process are sent when its leases expire', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 200 }))
  const ids = world.add(webhook, 5)
  await world.queue.lease(webhook.id, NOON, NOON + 60 * SECOND, { limit: 3, maxBytes: 1e6 })
  await world.start()
  await world.pass(SECOND)
  assert.deepEqual(world.counts(), { pending: 3, succeeded: 2 })
  await world.pass(2 * MINUTE)
  world.machine.wake([webhook.id])
  await world.pass(SECOND)
  assert.deepEqual(world.counts(), { succeeded: 5 })
  assert.ok(ids.every((id) => world.get(id).attempts.length === 1))
})

test('setting the clock forward or back sends nothing twice and delays nothing for long', async () => {
  let offsetMs = 0
  const wall = { now: (): number => world.timers.now() + offsetMs }
  const world: MachineWorld = new MachineWorld({ clock: wall })
  const slow = world.subscribe(() => ({ status: 200, afterMs: 10_000 }))
  const dead = world.subscribe(() => ({ error: 'connection_refused' }))
  await world.start()
  world.add(slow, 16)
  world.add(dead, 100)
  await world.pass(5 * SECOND)
  // By this clock all leases have expired.
  offsetMs = 2 * 60 * SECOND
  world.machine.wake()
  await world.pass(20 * SECOND)
  assert.equal(world.arrivals.filter(({ url }) => url === slow.url).length, 16)
  assert.equal(world.counts()['succeeded'], 16)
  offsetMs = 0
  world.arrivals.length = 0
  await world.pass(10 * MINUTE)
  assert.ok(world.arrivals.length >= 5, `${world.arrivals.length} probes`)
})

test('a closed sender does not cause a busy loop', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ error: 'interrupted' }))
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(MINUTE)
  assert.ok(world.arrivals.length <= 13)
  assert.deepEqual([world.get(id).status, world.get(id).attempts.length], ['pending', 0])
})
