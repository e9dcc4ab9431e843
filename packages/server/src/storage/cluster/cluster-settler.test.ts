import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import type { LeaseEpoch } from '../../ports/leases/lease-store.ts'
import type { StoredCommit } from '../../ports/traces/trace-store.ts'
import { ClusterSettler } from './cluster-settler.ts'
import type { LogHead } from './log-head.ts'
import type { FixedBatch } from './settling-record.ts'

const EPOCH_1: LeaseEpoch = { name: 'work of one node', epoch: 1 }

test('what fails marks the store as failing; the next batch that settles heals it', async () => {
  const world = new World()
  world.failure = new Error('ClickHouse is away')
  await world.look([false, true])
  assert.deepEqual(world.errors, ['commits could not be moved into ClickHouse yet'])
  world.failure = null
  // It is not time to try again.
  await world.look([false, true])
  assert.deepEqual(world.inserted, [])
  world.timers.advance(1000)
  await world.look([false, true, false])
  assert.deepEqual(world.inserted, ['batch 2'])
  assert.equal(world.recovered, 1)
})

test('a node that failed and has lost the lease does not count as failing', async () => {
  const world = new World()
  world.failure = new Error('ClickHouse is away')
  await world.look([false, true])
  world.lease = null
  await world.look([false, true, false])
  assert.equal(world.settler.isHolder, false)
})

test('under a lease that another node has taken, nothing is inserted or finished, and no failure is reported', async () => {
  const world = new World()
  world.current = 2
  await world.look([false, false])
  assert.deepEqual([world.inserted, world.errors], [[], []])
  // This node takes it again, and loses it while it inserts.
  world.current = 3
  world.lease = { ...EPOCH_1, epoch: 3 }
  world.onInsert = () => (world.current = 4)
  world.timers.advance(1000)
  await world.look([false, false, false, false])
  assert.deepEqual(world.inserted, ['batch 2'])
  assert.equal(world.settledThrough, 0)
  assert.deepEqual(world.errors, [])
})

/** One commit waits to settle. */
class World {
  readonly timers = new ManualTimers()
  readonly isFailing: boolean[] = []
  readonly errors: string[] = []
  readonly inserted: string[] = []
  recovered = 0
  lease: LeaseEpoch | null = EPOCH_1
  /** The epoch of the lease in PostgreSQL. */
  current = 1
  failure: Error | null = null
  onInsert: () => void = () => undefined
  settledThrough = 0
  #batches = 0
  readonly settler = new ClusterSettler({
    lease: () => this.lease,
    record: {
      fix: async ({ epoch }, next): Promise<FixedBatch | null> =>
        epoch === this.current ? { ...next, after: this.settledThrough, timeline: 'timeline' } : null,
      finish: async ({ epoch }, { through }) => {
        if (epoch !== this.current) return null
        this.settledThrough = through
        return true
      },
      prune: async () => true,
    },
    settled: {
      insert: async (_rows, batchId = 'none') => {
        if (this.failure !== null) throw this.failure
        this.inserted.push(batchId)
        this.onInsert()
      },
      markSettled: async () => undefined,
      marks: async () => [],
    },
    store: {
      unsettled: [{ commit: commitOf(1), bytes: 1, at: this.timers.now(), missing: [] }],
      setFailing: (_what, isFailing) => void this.isFailing.push(isFailing),
    },
    follow: async () => undefined,
    fullText: true,
    timers: this.timers,
    newBatchId: () => `batch ${++this.#batches}`,
    onError: (_error, message) => void this.errors.push(message),
    onRecovered: () => void this.recovered++,
    onFatal: (error) => assert.fail(error),
  })

  /** Resolves when the store was marked this often, and so. */
  async look(isFailing: readonly boolean[]): Promise<void> {
    const { settledThrough } = this
    const head: Partial<LogHead> = { settledThrough, sentThrough: settledThrough, wantedThrough: 1, prunedThrough: 0 }
    this.settler.look(head as LogHead, true)
    while (this.isFailing.length < isFailing.length) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(this.isFailing, isFailing)
    // Of the batch, nothing but the end is left.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function commitOf(version: number): StoredCommit {
  return { version, traces: [], steps: [], metricEvents: [] }
}
