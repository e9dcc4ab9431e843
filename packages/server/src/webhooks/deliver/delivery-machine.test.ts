import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SignDelivery } from '../signing/delivery-signer.ts'
import { DAY, HOUR, MachineWorld, NOON, SECOND } from './machine-world.test-support.ts'

const MINUTE = 60 * SECOND
const DEAD = () => ({ error: 'connection_refused' as const })

test('a delivery is sent at once, unchanged, with headers that describe it', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 204, afterMs: 7 }))
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(SECOND)
  const { status, attempts, event, finishedAt } = world.get(id)
  assert.deepEqual([status, finishedAt], ['succeeded', NOON + 7])
  const requestHeaders = {
    'content-type': 'application/json',
    'user-agent': 'Spoor/test',
    'webhook-id': event.id,
    'webhook-signature': 'secret',
    'x-spoor-delivery': id,
    'x-spoor-attempt': '1',
    'x-spoor-event': 'trace.committed',
  }
  const response = { status: 204, headers: {}, body: '', truncated: false }
  assert.deepEqual(attempts, [
    { number: 1, startedAt: NOON, durationMs: 7, url: webhook.url, requestHeaders, response, error: null },
  ])
  const [arrival] = world.arrivals
  assert.deepEqual(arrival, { at: NOON, url: webhook.url, headers: requestHeaders, body: event.body })
  await world.machine.stop(0)
  assert.deepEqual([world.timers.pending, world.machine.heldCount], [0, 0])
})

test('a webhook with a format gets the message, and the signature is of what is sent', async () => {
  const signed: Uint8Array[] = []
  const sign: SignDelivery = ({ body }) => {
    signed.push(body)
    return {}
  }
  const world = new MachineWorld({ sign })
  const webhook = world.subscribe(() => ({ status: 200 }), { format: 'slack' })
  await world.start()
  world.add(webhook, 1, 'ping')
  await world.pass(SECOND)
  const [arrival] = world.arrivals
  assert.match(Buffer.from(arrival!.body).toString(), /Test message from Spoor/)
  assert.deepEqual(signed, [arrival!.body])
})

test('a delivery that fails for a day has every attempt at its time and is then given up', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 500 }))
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(2 * DAY)
  assert.deepEqual(world.times(id), [0, 5, 35, 155, 755, 2555, 6155, 13_355, 27_755, 49_355, 85_355])
  const { status, reason, attempts, finishedAt } = world.get(id)
  assert.deepEqual([status, reason, finishedAt], ['failed', 'attempts_exhausted', NOON + 85_355 * SECOND])
  assert.deepEqual(
    attempts.map(({ number }) => number),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  )
  assert.equal(new Set(world.arrivals.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.deepEqual(world.machine.laneCounts.active, 0)
})

test('waits begin at the end of an attempt', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ error: 'timeout', afterMs: 15_000 }))
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(HOUR)
  assert.deepEqual(world.times(id), [0, 20, 65, 200, 815, 2630])
})

test('with Retry-After of one second each step has two attempts, and no step is shortened', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 429, headers: { 'retry-after': '1' } }))
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(13 * MINUTE)
  assert.deepEqual(world.times(id), [0, 1, 5, 6, 35, 36, 155, 156, 755, 756])
})

test('a longer Retry-After is respected within the step, as seconds or a date; an invalid one is ignored', async () => {
  const world = new MachineWorld({ random: () => 0 })
  const retryAfters = ['5', new Date(NOON + 5000 + 29_000).toUTCString(), 'soon', '-1', '999999']
  const webhook = world.subscribe((number) => ({ status: 503, headers: { 'retry-after': retryAfters[number] ?? '' } }))
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(2 * HOUR)
  assert.deepEqual(world.times(id).slice(0, 6), [0, 5, 34, 34 + 108, 34 + 108 + 540, 34 + 108 + 540 + 1800])
})

test('a receiver that answers 410 gets nothing more, and its subscription shows the reason', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe((number) => ({ status: number === 0 ? 410 : 200 }))
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(SECOND)
  assert.deepEqual([world.get(id).status, world.get(id).reason], ['failed', 'gone'])
  const { enabled, disabledReason } = world.webhook(webhook.id)
  assert.deepEqual([enabled, disabledReason], [false, 'gone'])
  const [next] = world.add(webhook)
  await world.pass(HOUR)
  assert.equal(world.get(next).attempts.length, 0)
  assert.equal(world.arrivals.length, 1)
})

test('a subscription whose url changed during an attempt answered with 410 stays enabled', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 410, afterMs: 50 }))
  await world.start()
  world.add(webhook)
  await world.pass(10)
  world.directory.edit(webhook.id, { url: 'https://receiver.test/new' })
  await world.pass(SECOND)
  assert.equal(world.webhook(webhook.id).enabled, true)
})

test('a subscription is disabled after five days without a success, not earlier', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 404 }))
  await world.start()
  for (let half = 0; half < 10; half++) {
    world.add(webhook)
    await world.pass(12 * HOUR)
  }
  assert.equal(world.webhook(webhook.id).enabled, true)
  const [last] = world.add(webhook)
  await world.pass(MINUTE)
  const { enabled, disabledReason, disabledAt } = world.webhook(webhook.id)
  assert.deepEqual([enabled, disabledReason, disabledAt], [false, 'no_success', NOON + 5 * DAY + 5])
  await world.pass(DAY + MINUTE)
  assert.deepEqual([world.get(last).status, world.get(last).reason], ['failed', 'expired'])
  assert.equal(world.get(last).attempts.length, 1)
})

test('a success restarts the five days', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe((number) => ({ status: number === 20 ? 200 : 404 }))
  await world.start()
  for (let half = 0; half < 12; half++) {
    world.add(webhook)
    await world.pass(12 * HOUR)
  }
  assert.equal(world.webhook(webhook.id).enabled, true)
})

test('a ping is attempted once', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 503 }))
  await world.start()
  const [id] = world.add(webhook, 1, 'ping')
  await world.pass(HOUR)
  assert.deepEqual([world.get(id).status, world.get(id).reason], ['failed', 'attempts_exhausted'])
  assert.equal(world.get(id).attempts.length, 1)
})

test('a status decides about success, even if the body breaks off', async () => {
  const world = new MachineWorld()
  const good = world.subscribe(() => ({ status: 200, error: 'timeout' }))
  const bad = world.subscribe(() => ({ status: 302 }))
  await world.start()
  const [first] = world.add(good)
  const [second] = world.add(bad)
  await world.pass(SECOND)
  assert.equal(world.get(first).status, 'succeeded')
  assert.deepEqual(world.get(first).attempts[0]?.error?.code, 'timeout')
  assert.deepEqual([world.get(second).status, world.get(second).attempts.length], ['pending', 1])
})

test('a dead receiver is probed by one delivery at a time, at growing intervals', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(DEAD)
  await world.start()
  const ids = world.add(webhook, 200)
  await world.pass(MINUTE)
  // Sixteen were under way when the first ended, nine followed before the tenth failure, six are probes.
  const early = world.arrivals.length
  assert.ok(early <= 16 + 9 + 6, `${early} attempts`)
  assert.ok(world.machine.heldCount <= 1)
  world.arrivals.length = 0
  await world.pass(HOUR)
  assert.ok(world.arrivals.length >= 50 && world.arrivals.length <= 70, `${world.arrivals.length} probes`)
  assert.deepEqual(world.counts(), { pending: 200 })
  // The receiver is back: the next probe succeeds, and the others follow at once.
  world.receivers.set(webhook.url, () => ({ status: 200, afterMs: 10 }))
  await world.pass(MINUTE + SECOND)
  const untouched = ids.filter((id) => world.get(id).attempts.length <= 1)
  for (const id of untouched) assert.equal(world.get(id).status, 'succeeded')
  await world.pass(12 * HOUR)
  assert.deepEqual(world.counts(), { succeeded: 200 })
})

test('nothing is given up untried, and nothing is tried a day after its first failure', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(DEAD)
  await world.start()
  world.add(webhook, 1700)
  await world.pass(2 * DAY)
  const given = world.state.all().filter(({ status }) => status === 'failed')
  assert.ok(given.length > 1000, String(given.length))
  for (const { attempts } of given) {
    const [first, last] = [attempts[0]?.startedAt ?? assert.fail('it was never tried'), attempts.at(-1)?.startedAt ?? 0]
    assert.ok(last < first + DAY)
  }
  assert.ok(world.arrivals.length < 3100, `${world.arrivals.length} attempts`)
})

test('a start after a long stop gives up old deliveries and probes dead receivers at once', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(DEAD)
  await world.start()
  const [old] = world.add(webhook, 30)
  await world.pass(HOUR)
  await world.machine.stop(0)
  const before = world.arrivals.length
  await world.pass(DAY)
  world.machine = world.newMachine()
  const [young] = world.add(webhook, 30)
  await world.start()
  await world.pass(SECOND / 2)
  assert.equal(world.get(old).reason, 'expired')
  assert.equal(world.arrivals.length - before, 1)
  assert.equal(world.get(young).attempts.length, 1)
})

test('one of twenty receivers hangs without delaying the others', async () => {
  const finishedAt = async (isHanging: boolean) => {
    const world = new MachineWorld()
    const others = Array.from({ length: 19 }, () => world.subscribe(() => ({ status: 200, afterMs: 10 })))
    const odd = world.subscribe(() =>
      isHanging ? { error: 'timeout', afterMs: 15_000 } : { status: 200, afterMs: 10 },
    )
    await world.start()
    world.add(odd, 2000)
    const ids = others.flatMap((webhook) => world.add(webhook, 2000))
    await world.pass(10 * SECOND)
    for (const id of ids) assert.equal(world.get(id).status, 'succeeded')
    if (isHanging) assert.equal(world.arrivals.filter(({ url }) => url === odd.url).length, 16)
    return Math.max(...ids.map((id) => world.get(id).finishedAt ?? Infinity)) - NOON
  }
  const alone = await finishedAt(false)
  const beside = await finishedAt(true)
  assert.ok(beside <= alone / 0.9, `${beside} ms rather than ${alone} ms`)
})

test('requests under way are bounded, per subscription and in total', async () => {
  const world = new MachineWorld({ rules: { mostInFlight: 20 } })
  const webhooks = [1, 2, 3].map(() => world.subscribe(() => ({ status: 200, afterMs: 100 })))
  await world.start()
  for (const webhook of webhooks) world.add(webhook, 50)
  await world.pass(50)
  assert.ok(world.mostUnderWay >= 10 && world.mostUnderWay <= 20, `${world.mostUnderWay} under way`)
  // They take turns.
  for (const { url } of webhooks) assert.ok(world.arrivals.filter((arrival) => arrival.url === url).length >= 3)
  await world.pass(10 * SECOND)
  assert.deepEqual(world.counts(), { succeeded: 150 })
  const one = new MachineWorld()
  const webhook = one.subscribe(() => ({ status: 200, afterMs: 100 }))
  await one.start()
  one.add(webhook, 50)
  await one.pass(10 * SECOND)
  assert.equal(one.mostUnderWay, 16)
})

test('more subscriptions than lanes take turns, and bodies in memory are bounded', async () => {
  const world = new MachineWorld({ rules: { mostLanes: 3, leaseBytes: 200, mostBytes: 400 } })
  for (let index = 0; index < 10; index++) {
    const webhook = world.subscribe(() => ({ status: 200, afterMs: 100 }))
    world.add(webhook, 20)
  }
  await world.start()
  for (let step = 0; step < 100; step++) {
    await world.pass(25)
    assert.ok(world.machine.laneCounts.active <= 3)
    // About 43 bytes each.
    assert.ok(world.machine.heldCount <= 12, `${world.machine.heldCount} held`)
  }
  await world.pass(MINUTE)
  assert.deepEqual(world.counts(), { succeeded: 200 })
})

test('a redelivery begins a new schedule and continues the count of attempts', async () => {
  const world = new MachineWorld()
  const webhook = world.subscribe(() => ({ status: 404 }))
  await world.start()
  const [id] = world.add(webhook)
  await world.pass(DAY)
  assert.equal(world.get(id).status, 'failed')
  world.receivers.set(webhook.url, (number) => ({ status: number < 12 ? 404 : 200 }))
  assert.ok(id !== undefined)
  await world.deliveries.log.redeliver(webhook.id, id, world.timers.now())
  world.machine.wake([webhook.id])
  await world.pass(MINUTE)
  assert.equal(world.get(id).status, 'succeeded')
  assert.deepEqual(world.times(id).slice(11), [86_400, 86_405])
  assert.deepEqual(world.get(id).attempts.at(-1)?.number, 13)
})

test('successes are written in batches', async () => {
  const world = new MachineWorld()
  let writes = 0
  world.state.before = (method) => {
    if (method === 'finish') writes++
  }
  const webhooks = Array.from({ length: 10 }, () => world.subscribe(() => ({ status: 200, afterMs: 20 })))
  await world.start()
  for (const webhook of webhooks) world.add(webhook, 64)
  await world.pass(10 * SECOND)
  assert.deepEqual(world.counts(), { succeeded: 640 })
  assert.ok(writes <= 25, `${writes} writes`)
})
