import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricEventId, TraceId } from '@spoor/contract/ids'
import type { DeletedTrace, RemovalMark } from '../../ports/journal/journal.ts'
import { PurgeDeleted, PURGE_RULES, type PurgeRules } from './purge-deleted.ts'
import { idAt, PROJECT } from '../trace-builders.test-support.ts'

const { gatherMs, many, pauseShare, stuckMs } = PURGE_RULES

/** A journal and a store whose content the test sets, as well as when the store has finished. */
class PurgeWorld {
  readonly pending = new Map<TraceId, DeletedTrace>()
  readonly batches: (readonly DeletedTrace[])[] = []
  readonly forgotten: TraceId[] = []
  steps = 0
  isDone = true
  isDiskFull = false
  readonly purging: boolean[] = []
  canEmptyLogs = true
  emptied = 0
  removed: RemovalMark[] = []
  readonly purgedEvents: MetricEventId[] = []
  readonly purge: PurgeDeleted
  wallTime = 0
  #count = 0

  constructor(rules: Partial<PurgeRules> = {}) {
    this.purge = new PurgeDeleted({
      store: {
        purgeTraces: async (traces) => {
          this.steps += 1
          if (this.batches.at(-1) !== traces) this.batches.push(traces)
          return this.isDone ? traces : []
        },
        purgeEvents: async (events) => {
          this.purgedEvents.push(...events.map(({ id }) => id))
          return this.isDone
        },
      },
      journal: {
        pendingPurges: async (limit, after) =>
          [...this.pending.values()]
            .filter(({ traceId }) => after === undefined || traceId > after)
            .sort((a, b) => (a.traceId < b.traceId ? -1 : 1))
            .slice(0, limit),
        pendingPurgeCount: async (limit) => Math.min(limit, this.pending.size),
        markPurged: async (ids) => ids.forEach((id) => this.pending.delete(id)),
        removalMarks: async (limit) => this.removed.slice(0, limit),
        forgetRemovals: async (ids) => void (this.removed = this.removed.filter(({ id }) => !ids.includes(id))),
      },
      wallTime: () => this.wallTime,
      forget: async (traces) => {
        for (const { traceId } of traces) {
          assert.ok(this.pending.has(traceId), 'forgotten before its mark is removed')
          this.forgotten.push(traceId)
        }
      },
      emptyLogs: () => {
        if (this.canEmptyLogs) this.emptied += 1
        return this.canEmptyLogs
      },
      isDiskFull: () => this.isDiskFull,
      version: () => this.#count,
      onPurging: (isUnderWay) => this.purging.push(isUnderWay),
      rules: { stepMs: 0, ...rules },
    })
  }

  delete(count: number, restorableUntil = 0): void {
    for (let index = 0; index < count; index++) {
      const traceId = idAt('tr', 1, ++this.#count)
      this.pending.set(traceId, { projectId: PROJECT, traceId, ...(restorableUntil > 0 && { restorableUntil }) })
    }
  }
}

test('the first round purges all pending deletions and empties the logs afterwards', async () => {
  const world = new PurgeWorld()
  world.delete(3)
  await world.purge.round(0)
  assert.deepEqual([world.pending.size, world.forgotten.length, world.emptied], [0, 3, 1])
  await world.purge.round(1)
  assert.deepEqual([world.batches.length, world.emptied], [1, 1], 'an idle store is not touched')
})

test('removed events go first, and their marks go once nothing is left of them', async () => {
  const world = new PurgeWorld()
  const id = idAt('mev', 1, 1)
  world.removed.push({ projectId: PROJECT, traceId: idAt('tr', 1, 1), id, version: 1 })
  world.delete(1)
  world.isDone = false
  await world.purge.round(0)
  assert.deepEqual([world.purgedEvents, world.removed.length, world.pending.size], [[id], 1, 1])
  world.isDone = true
  await world.purge.round(1)
  assert.deepEqual([world.removed.length, world.pending.size], [0, 1])
  await world.purge.round(2)
  assert.deepEqual([world.pending.size, world.emptied], [0, 1])
})

test('more removed events than one statement names are all gone before the traces of their batch', async () => {
  const world = new PurgeWorld()
  for (let at = 1; at <= 2500; at++)
    world.removed.push({ projectId: PROJECT, traceId: idAt('tr', 1, 1), id: idAt('mev', 1, at), version: 1 })
  world.delete(1)
  for (let round = 0; round < 3; round++) await world.purge.round(round)
  assert.deepEqual([world.purgedEvents.length, world.removed.length, world.steps], [2500, 0, 0])
  await world.purge.round(3)
  assert.deepEqual([world.steps, world.pending.size], [1, 0])
})

test('few deletions are batched, so that a steady trickle rewrites the store once in ten minutes', async () => {
  const world = new PurgeWorld()
  await world.purge.round(0)
  let now = 1000
  for (const end = now + 2 * gatherMs; now < end; now += 10_000) {
    world.delete(1)
    await world.purge.round(now)
  }
  const taken = world.batches.filter(({ length }) => length > 0)
  assert.equal(taken.length, 1)
  await world.purge.round(now + gatherMs)
  assert.equal(world.pending.size, 0)
})

test('many deletions wait until no more come, and for a pause as long as the last batch took', async () => {
  const world = new PurgeWorld()
  await world.purge.round(0)
  world.isDone = false
  for (let now = 0; now < 1000; now += 100) {
    world.delete(many)
    await world.purge.round(now)
    assert.equal(world.batches.length, 1)
  }
  await world.purge.round(1000)
  assert.equal(world.batches.at(-1)?.length, 10 * many)
  world.delete(many)
  world.isDone = true
  await world.purge.round(3000)
  assert.equal(world.pending.size, many, 'deletions during a batch go into the next one')
  const pauseEnds = 3000 + pauseShare * 2000
  await world.purge.round(pauseEnds - 1)
  assert.equal(world.pending.size, many)
  await world.purge.round(pauseEnds)
  assert.equal(world.pending.size, 0)
})

test('a batch is bounded and stays the same until it is gone', async () => {
  const world = new PurgeWorld({ batch: 1500 })
  world.isDone = false
  world.delete(2000)
  for (let now = 0; now < 5000; now += 1000) await world.purge.round(now)
  assert.deepEqual(
    world.batches.map(({ length }) => length),
    [1500],
  )
  assert.equal(world.pending.size, 2000)
})

test('a small batch takes one step a second, a large one ten; without one, a look each five seconds is enough', async () => {
  for (const [count, steps] of [
    [many - 1, 2],
    [many, 11],
  ] as const) {
    const world = new PurgeWorld({ stepMs: 1000 })
    world.isDone = false
    world.delete(count)
    for (let now = 0; now <= 1000;) now += await world.purge.round(now)
    assert.equal(world.steps, steps)
  }
  const idle = new PurgeWorld({ stepMs: 1000 })
  await idle.purge.round(0)
  assert.equal(await idle.purge.round(1), 5000)
  idle.isDiskFull = true
  assert.equal(await idle.purge.round(2), 1000)
})

test('on a full disk deletions are purged at once; a batch that gets stuck is retaken with the deletions since', async () => {
  const world = new PurgeWorld()
  await world.purge.round(0)
  world.isDiskFull = true
  world.isDone = false
  world.delete(1)
  await world.purge.round(1000)
  world.delete(1)
  await world.purge.round(1000 + stuckMs - 1)
  world.isDone = true
  world.delete(1)
  await world.purge.round(1000 + stuckMs)
  assert.deepEqual(
    world.batches.filter(({ length }) => length > 0).map(({ length }) => length),
    [1, 3],
  )
  assert.equal(world.pending.size, 0)
})

test('a trace that can be restored stays, also on a full disk, until a minute after that time', async () => {
  const world = new PurgeWorld()
  world.isDiskFull = true
  world.delete(2, 5000)
  world.delete(1)
  world.wallTime = 64_999
  await world.purge.round(0)
  assert.deepEqual([world.forgotten.length, world.pending.size], [1, 2])
  world.wallTime = 65_000
  await world.purge.round(1)
  assert.deepEqual([world.forgotten.length, world.pending.size], [3, 0])
})

test('on a full disk a stuck batch continues if nothing was deleted since, because a new one would have no more space', async () => {
  const world = new PurgeWorld()
  world.isDiskFull = true
  world.isDone = false
  world.delete(2)
  await world.purge.round(0)
  await world.purge.round(stuckMs)
  await world.purge.round(10 * stuckMs)
  assert.deepEqual(
    world.batches.filter(({ length }) => length > 0).map(({ length }) => length),
    [2],
  )
})

test('logs that are being read are emptied by a later round', async () => {
  const world = new PurgeWorld()
  world.canEmptyLogs = false
  world.delete(1)
  await world.purge.round(0)
  await world.purge.round(1)
  assert.equal(world.emptied, 0)
  world.canEmptyLogs = true
  await world.purge.round(2)
  await world.purge.round(3)
  assert.equal(world.emptied, 1)
})

test('a stop ends between two groups of traces; the rest stays pending', async () => {
  const world = new PurgeWorld()
  world.delete(1000)
  const round = world.purge.round(0)
  setImmediate(() => world.purge.stop())
  await round
  assert.ok(world.pending.size > 0, 'the round continued to the end')
  assert.equal(world.pending.size + world.forgotten.length, 1000)
})

test('what is known to be purged includes no deletion that came later, nor logs that were not emptied', async () => {
  const world = new PurgeWorld()
  assert.equal(world.purge.purgedThrough, 0)
  world.delete(3)
  world.wallTime = 1000
  world.isDone = false
  await world.purge.round(0)
  world.wallTime = 2000
  world.isDone = true
  world.canEmptyLogs = false
  await world.purge.round(1)
  assert.equal(world.purge.purgedThrough, 0, 'the logs have it')
  world.canEmptyLogs = true
  await world.purge.round(2)
  assert.equal(world.purge.purgedThrough, 2000, 'nothing is pending')
  // Rows changed, and a deletion that waits for its batch.
  world.delete(1)
  world.purge.emptyLogs()
  world.wallTime = 3000
  const { emptied } = world
  await world.purge.round(3)
  assert.deepEqual([world.purge.purgedThrough, world.emptied], [2000, emptied + 1])
  world.wallTime = 4000
  await world.purge.round(3 + gatherMs)
  assert.equal(world.purge.purgedThrough, 4000)
})
