import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Clock } from '../../lib/time/clock.ts'
import type { LeaseStore } from './lease-store.ts'

const START = 1_763_000_000_000
const LASTS_MS = 45_000

/**
 * What every store of leases keeps. That stale epochs are refused is for the suites of the stores that are written to.
 */
export function testLeaseStore(open: (clock: Clock, context: TestContext) => Promise<LeaseStore>): void {
  async function openAt(context: TestContext) {
    const clock = { time: START, now: () => clock.time }
    return { clock, leases: await open(clock, context) }
  }

  test('of several at once one takes a lease; leases of other names are others', async (context) => {
    const { leases } = await openAt(context)
    const taken = await Promise.all(['a', 'b', 'c'].map((holder) => leases.take('work', holder, LASTS_MS)))
    const [lease, ...others] = taken.filter((one) => one !== null)
    assert.deepEqual(others, [])
    assert.deepEqual(lease, { name: 'work', holder: lease?.holder, epoch: 1, until: START + LASTS_MS })
    assert.equal((await leases.take('other work', 'd', LASTS_MS))?.holder, 'd')
  })

  test('another takes it at its end, under a new epoch, and the first can renew it no more', async (context) => {
    const { leases, clock } = await openAt(context)
    const first = await leases.take('work', 'a', LASTS_MS)
    assert.ok(first)
    clock.time += LASTS_MS - 1
    assert.equal(await leases.take('work', 'b', LASTS_MS), null)
    clock.time += 1
    const second = await leases.take('work', 'b', LASTS_MS)
    assert.deepEqual(second, { name: 'work', holder: 'b', epoch: 2, until: clock.time + LASTS_MS })
    assert.equal(await leases.renew(first, LASTS_MS), null)
    await leases.release(first)
    assert.equal(await leases.take('work', 'a', LASTS_MS), null)
  })

  test('a renewed lease keeps its epoch and lasts longer, also when it had ended and nobody took it', async (context) => {
    const { leases, clock } = await openAt(context)
    const lease = await leases.take('work', 'a', LASTS_MS)
    assert.ok(lease)
    clock.time += LASTS_MS - 1
    assert.deepEqual(await leases.renew(lease, LASTS_MS), { ...lease, until: clock.time + LASTS_MS })
    clock.time += LASTS_MS - 1
    assert.equal(await leases.take('work', 'b', LASTS_MS), null)
    clock.time += 10 * LASTS_MS
    assert.deepEqual(await leases.renew(lease, LASTS_MS), { ...lease, until: clock.time + LASTS_MS })
    assert.equal(await leases.take('work', 'b', LASTS_MS), null)
  })

  test('who starts again under its name takes its own lease over, and its former self is out', async (context) => {
    const { leases } = await openAt(context)
    const former = await leases.take('work', 'a', LASTS_MS)
    assert.ok(former)
    assert.equal((await leases.take('work', 'a', LASTS_MS))?.epoch, 2)
    assert.equal(await leases.renew(former, LASTS_MS), null)
  })

  test('a released lease is free at once, and its epoch is not used again', async (context) => {
    const { leases } = await openAt(context)
    const first = await leases.take('work', 'a', LASTS_MS)
    assert.ok(first)
    await leases.release(first)
    assert.equal(await leases.renew(first, LASTS_MS), null)
    const second = await leases.take('work', 'b', LASTS_MS)
    assert.ok(second && second.epoch > first.epoch)
    await leases.release({ name: 'none', epoch: 1 })
    assert.equal(await leases.renew({ name: 'none', epoch: 1 }, LASTS_MS), null)
  })

  test('a lease that ends later than anybody could have taken it for has ended: the clock was set back', async (context) => {
    const { leases, clock } = await openAt(context)
    await leases.take('work', 'a', LASTS_MS)
    clock.time -= LASTS_MS
    assert.equal(await leases.take('work', 'b', LASTS_MS), null)
    clock.time -= 1
    assert.equal((await leases.take('work', 'b', LASTS_MS))?.holder, 'b')
  })
}
