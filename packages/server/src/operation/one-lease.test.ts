import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { MemoryLeaseStore } from '../ports/leases/memory-leases.test-support.ts'
import { isEnded } from './leased-runner.ts'
import { OneLease } from './one-lease.ts'

class World {
  readonly timers = new ManualTimers()
  readonly store = new MemoryLeaseStore(this.timers)
  queries = 0
  isFree = true

  lease(holder: string): OneLease {
    const counted = async <T>(query: Promise<T>) => {
      this.queries++
      return await query
    }
    return new OneLease({
      name: 'all',
      holder,
      leases: {
        take: (...args) => counted(this.store.take(...args)),
        renew: (...args) => counted(this.store.renew(...args)),
        release: (...args) => counted(this.store.release(...args)),
      },
      timers: this.timers,
      isFree: () => this.isFree,
      onError: (error) => assert.fail(error as Error),
    })
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.timers.advance(1000)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

test('one node has it; all its parts take it without a query, under one epoch', async () => {
  const world = new World()
  const [a, b] = [world.lease('a'), world.lease('b')]
  for (const lease of [a, b]) lease.start()
  await world.pass(1)
  const { queries } = world
  const taken = [await a.take(), await a.take(), await b.take()]
  assert.deepEqual(
    taken.map((lease) => lease?.holder),
    ['a', 'a', undefined],
  )
  assert.equal(taken[0]?.epoch, taken[1]?.epoch)
  assert.equal(world.store.isCurrent(taken[0]!), true)
  assert.notEqual(await a.renew(taken[0]!), null)
  assert.equal(await b.renew(taken[0]!), null)
  assert.equal(world.queries, queries)
})

test('after the stop of its node another has it; what the former one writes is refused', async () => {
  const world = new World()
  const [a, b] = [world.lease('a'), world.lease('b')]
  for (const lease of [a, b]) lease.start()
  await world.pass(1)
  const former = await a.take()
  await a.stop()
  assert.equal(await a.take(), null)
  await world.pass(1)
  assert.equal((await b.take())?.holder, 'b')
  assert.equal(world.store.isCurrent(former!), false)
  assert.equal(await a.renew(former!), null)
})

test('a node that has lost it and takes it again does not renew the former one', async () => {
  const world = new World()
  const a = world.lease('a')
  a.start()
  await world.pass(1)
  const former = await a.take()
  await world.store.release(former!)
  await world.pass(10)
  const present = await a.take()
  assert.notEqual(present?.epoch, former?.epoch)
  assert.equal(await a.renew(former!), null)
  assert.equal(a.takes, 2)
})

test('a node tries to take it only when it may be free', async () => {
  const world = new World()
  world.isFree = false
  const a = world.lease('a')
  a.start()
  await world.pass(30)
  assert.deepEqual([world.queries, await a.take()], [0, null])
  world.isFree = true
  await world.pass(1)
  assert.equal((await a.take())?.holder, 'a')
})

test('a lease has ended at its end, and if it ends too late to be of a right clock', () => {
  assert.deepEqual(
    [999, 1000, 1001, 17_000, 17_001].map((until) => isEnded(until, 1000)),
    [true, true, false, false, true],
  )
})
