import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import type { LeaseEpoch } from '../ports/leases/lease-store.ts'
import { MemoryLeaseStore } from '../ports/leases/memory-leases.test-support.ts'
import { LeasedRunner, type LeasedPart } from './leased-runner.ts'

/** Two nodes on one store of leases. Their timers may stand still while the store's timers continue. */
class World {
  readonly storeTimers = new ManualTimers()
  readonly leases = new MemoryLeaseStore(this.storeTimers)
  readonly nodes = { a: new ManualTimers(), b: new ManualTimers() }
  readonly log: string[] = []
  readonly errors: string[] = []
  readonly epochs: LeaseEpoch[] = []
  unavailable = new Set<string>()
  startFails = false
  /** Parts end when this resolves. */
  stopping: Promise<void> = Promise.resolve()

  runner(name: 'a' | 'b'): LeasedRunner {
    const reach = async <T>(use: () => Promise<T>) => {
      if (this.unavailable.has(name)) throw new Error('the store is away')
      return use()
    }
    return new LeasedRunner({
      name: 'work',
      holder: name,
      leases: {
        take: (...args) => reach(() => this.leases.take(...args)),
        renew: (...args) => reach(() => this.leases.renew(...args)),
        release: (...args) => reach(() => this.leases.release(...args)),
      },
      timers: this.nodes[name],
      start: async (lease): Promise<LeasedPart> => {
        if (this.startFails) throw new Error('it cannot start')
        this.log.push(`${name} starts`)
        this.epochs.push(lease)
        return {
          stop: async () => {
            await this.stopping
            this.log.push(`${name} stops`)
          },
        }
      },
      onError: (error, message) => this.errors.push(`${message}: ${String(error)}`),
    })
  }

  /** Seconds pass, one by one, at the store and at the nodes that are not stopped. */
  async pass(seconds: number, names: readonly ('a' | 'b')[] = ['a', 'b']): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.storeTimers.advance(1000)
      for (const name of names) this.nodes[name].advance(1000)
      await settle()
    }
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('one of two runs, for as long as it renews; the other takes over when it stops', async () => {
  const world = new World()
  const [a, b] = [world.runner('a'), world.runner('b')]
  a.start()
  await settle()
  b.start()
  await world.pass(120)
  assert.deepEqual([world.log, a.isHolder, b.isHolder], [['a starts'], true, false])
  await a.stop()
  await world.pass(1)
  assert.deepEqual(world.log, ['a starts', 'a stops', 'b starts'])
  await b.stop()
  assert.equal(world.nodes.a.pending + world.nodes.b.pending, 0)
  assert.deepEqual(world.errors, [])
})

test('a node that dies is followed within 10 s', async () => {
  const world = new World()
  const [a, b] = [world.runner('a'), world.runner('b')]
  a.start()
  await settle()
  b.start()
  await world.pass(30)
  await world.pass(10, ['b'])
  assert.deepEqual(world.log, ['a starts', 'b starts'])
  await b.stop()
  // It wakes: its part stops, and what that wrote meanwhile was refused.
  assert.equal(world.leases.isCurrent(world.epochs[0] as LeaseEpoch), false)
  await world.pass(10, ['a'])
  assert.deepEqual(world.log.slice(2), ['b stops', 'a stops', 'a starts'])
  await a.stop()
})

test('a node that cannot renew stops its part at the end of the lease, before another starts', async () => {
  const world = new World()
  const [a, b] = [world.runner('a'), world.runner('b')]
  a.start()
  await settle()
  b.start()
  await world.pass(3)
  world.unavailable.add('a')
  await world.pass(7)
  assert.deepEqual(world.log, ['a starts'])
  await world.pass(2)
  assert.deepEqual(world.log, ['a starts', 'a stops', 'b starts'])
  assert.equal(world.errors.length, 1, 'reported once')
  world.unavailable.clear()
  await world.pass(60)
  assert.equal(world.log.length, 3)
  await Promise.all([a.stop(), b.stop()])
})

test('a part starts again only after it has stopped', async () => {
  const world = new World()
  const a = world.runner('a')
  let stopped: () => void = () => undefined
  a.start()
  await settle()
  world.stopping = new Promise((resolve) => (stopped = resolve))
  world.unavailable.add('a')
  await world.pass(10, ['a'])
  world.unavailable.clear()
  await world.pass(10, ['a'])
  assert.deepEqual(world.log, ['a starts'])
  stopped()
  await world.pass(2, ['a'])
  assert.deepEqual(world.log, ['a starts', 'a stops', 'a starts'])
  assert.deepEqual(
    world.epochs.map(({ epoch }) => epoch),
    [1, 2],
  )
  await a.stop()
})

test('a start that fails leaves the lease to others, and is tried again', async () => {
  const world = new World()
  const [a, b] = [world.runner('a'), world.runner('b')]
  world.startFails = true
  a.start()
  await settle()
  assert.equal(world.errors.length, 1)
  assert.equal(a.isHolder, false)
  world.startFails = false
  b.start()
  await settle()
  assert.deepEqual(world.log, ['b starts'])
  await Promise.all([a.stop(), b.stop()])
})
