import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { idAt, PROJECT } from '../../traces/trace-builders.test-support.ts'
import { FileFaults } from './log/commit-log-faults.test-support.ts'
import { LoggedStoreWorld, type TraceChange } from './logged-store-world.test-support.ts'
import { temporaryEngine } from '../clickhouse/engine/temporary-engine.test-support.ts'
import { times } from '../../lib/times.test-support.ts'

const engine = await temporaryEngine()

let begun = 0
async function opened(context: TestContext) {
  begun += 1
  const world = await LoggedStoreWorld.open(context, engine, begun * 1000)
  const ids = [0, 1, 2].map((index) => idAt('tr', Date.UTC(2026, index, 1) + begun * 1000, index + 1))
  return { world, ids: ids as [TraceId, TraceId, TraceId] }
}

/** How a commit may end, as the group committer drives it. */
const ENDINGS = {
  succeeds: (world, changes) => world.commit(...changes),
  /** The disk took half of it. */
  'disk is full': async (world, changes, faults) => {
    faults.failNext('writev')
    await assert.rejects(world.store.stage(world.toCommit(changes)), { code: 'ENOSPC' })
    await world.store.repair()
  },
  'flush fails': async (world, changes, faults) => {
    faults.failNext('datasync')
    await assert.rejects(world.store.stage(world.toCommit(changes)), { code: 'EIO' })
    await world.store.repair()
  },
  'journal fails': async (world, changes) => {
    await world.store.stage(world.toCommit(changes))
    await world.store.repair()
  },
  'journal fails, and the first repair too': async (world, changes, faults) => {
    await world.store.stage(world.toCommit(changes))
    faults.failNext('truncate')
    await assert.rejects(world.store.repair(), { code: 'EIO' })
    await world.store.repair()
  },
  'journal commits and says it failed': async (world, changes) => {
    const commit = world.toCommit(changes)
    await world.store.stage(commit)
    world.acknowledge(commit)
    // The group committer has looked into the journal again.
    world.store.publish(commit.version)
    await world.store.repair()
  },
  'process dies before the journal': async (world, changes) => {
    await world.store.stage(world.toCommit(changes))
    await world.start()
  },
  'process dies after the journal': async (world, changes) => {
    const commit = world.toCommit(changes)
    await world.store.stage(commit)
    world.acknowledge(commit)
    await world.start()
  },
} satisfies Record<
  string,
  (world: LoggedStoreWorld, changes: readonly TraceChange[], faults: FileFaults) => Promise<void>
>

for (const [name, end] of Object.entries(ENDINGS)) {
  test(`a commit that ends so: ${name}; the next one succeeds, and readers find what was acknowledged`, async (context) => {
    const faults = await FileFaults.install(context)
    const { world, ids } = await opened(context)
    await world.commit({ id: ids[0], steps: ['{"n":1}'] }, { id: ids[1] })
    const before = world.journalVersion
    const body = `{"lost":"${'x'.repeat(200_000)}"}`
    await end(
      world,
      [
        { id: ids[0], steps: [body] },
        { id: ids[2], steps: [body] },
      ],
      faults,
    )
    await world.assertReads()
    const { store, journalVersion } = world
    const counts = journalVersion > before
    assert.equal((await store.findTraces(PROJECT, [ids[2]], Number.MAX_SAFE_INTEGER)).length, counts ? 1 : 0)
    await world.commit({ id: ids[0], steps: ['{"n":2}'] }, { id: ids[1], steps: ['{}'] })
    await world.assertReads()
    await store.repair()
    await world.assertReads()
    await world.start()
    await world.assertReads()
    await world.assertSettled()
  })
}

test('whatever commits end in, one after the other, readers find what was acknowledged, and a start too', async (context) => {
  const faults = await FileFaults.install(context)
  const names = Object.keys(ENDINGS) as (keyof typeof ENDINGS)[]
  const action = fc.oneof(
    { weight: 3, arbitrary: fc.constant('succeeds' as const) },
    { weight: 5, arbitrary: fc.constantFrom(...names) },
    { weight: 2, arbitrary: fc.constant('settle' as const) },
  )
  const change = fc.uniqueArray(fc.record({ index: fc.nat(2), steps: fc.nat(2) }), {
    selector: ({ index }) => index,
    minLength: 1,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(action, change), { minLength: 2, maxLength: 12 }), async (plan) => {
      const { world, ids } = await opened(context)
      for (const [index, [name, changed]] of plan.entries()) {
        const changes = changed.map(({ index: which, steps }) => ({
          id: ids[which]!,
          steps: Array.from({ length: steps }, (_, place) => `{"${index}":${place}}`),
        }))
        if (name === 'settle') await world.store.settle()
        else await ENDINGS[name](world, changes, faults)
        faults.clear()
        await world.assertReads()
      }
      await world.store.settle()
      await world.assertSettled()
      await world.start()
      await world.assertSettled()
      await world.assertReads()
    }),
    { numRuns: times(5) },
  )
})

test('nothing is published but what was staged last', async (context) => {
  const { world, ids } = await opened(context)
  assert.throws(() => world.store.publish(world.nextVersion), /not the one that was staged/)
  await world.store.stage(world.toCommit([{ id: ids[0] }]))
  assert.throws(() => world.store.publish(world.nextVersion + 1), /not the one that was staged/)
  await world.store.repair()
  assert.throws(() => world.store.publish(world.nextVersion), /not the one that was staged/)
})

test('an end while a commit was never decided settles the others, and the next start decides', async (context) => {
  for (const committed of [false, true]) {
    const { world, ids } = await opened(context)
    await world.commit({ id: ids[0], steps: ['{}'] })
    const undecided = world.toCommit([{ id: ids[0], steps: ['{}'] }])
    await world.store.stage(undecided)
    await world.store.close()
    await world.assertSettled()
    if (committed) world.acknowledge(undecided)
    await world.start()
    await world.assertReads()
    await world.assertSettled()
  }
})
