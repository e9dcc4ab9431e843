import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { run, type Work } from '../sql/kit/sql-database.ts'
import { PROJECT } from '../../traces/trace-builders.test-support.ts'
import type { ClusterLogTables } from './cluster-log-statements.ts'
import { eventually } from '../../../../../e2e/lib/eventually.ts'
import {
  clusterServers,
  ClusterWorld,
  commitTrace,
  type TestNode,
  type TestServers,
} from './cluster-world.test-support.ts'
import { HeldPartitions, KEPT_AFTER_WORK_MS } from './held-partitions.ts'
import { ALL_PARTITIONS, partitionOf } from './partitions.ts'

const servers = await clusterServers(1)
if (typeof servers === 'string') test('partitions of a node', { skip: servers }, () => undefined)
else testPartitions(servers)

const PARTITION = partitionOf(PROJECT)

function testPartitions(on: TestServers): void {
  /** The first holds all partitions, the second none by itself. Neither is started. */
  const two = async (context: TestContext): Promise<[TestNode, TestNode]> => {
    const world = await ClusterWorld.open(on, context)
    return [await world.node(), await world.node({ own: () => [] })]
  }

  test('a node has no rows of a partition before it holds it, and all of them from then on', async (context) => {
    const [owner, other] = await two(context)
    const first = await commitTrace(owner, 'first')
    const second = await commitTrace(owner, 'second')
    await other.log.follow()
    assert.deepEqual(await idsAt(other, [first, second]), [])
    assert.deepEqual(other.store.lacking(new Set([PARTITION])), [1, 2])
    assert.equal(other.store.unsettledBytes, owner.store.unsettledBytes)

    await other.log.held.use(PROJECT)
    assert.deepEqual(await idsAt(other, [first, second]), [first, second])
    const third = await commitTrace(owner, 'third')
    await other.log.follow()
    assert.deepEqual(await idsAt(other, [first, second, third]), [first, second, third])
    assert.deepEqual(other.store.lacking(new Set(ALL_PARTITIONS)), [])
  })

  test('a node that plans on what it has not seen meets a conflict, and commits after it', async (context) => {
    const [owner, other] = await two(context)
    const first = await commitTrace(owner, 'first')
    const second = await commitTrace(other, 'second')
    assert.equal(other.log.conflicts, 1)
    assert.equal(await commitTrace(other, 'first'), first)
    assert.deepEqual(await idsAt(other, [first, second]), [first, second])
    await owner.log.follow()
    assert.deepEqual(await idsAt(owner, [first, second]), [first, second])
  })

  test('what settled before a node held its partition is read in ClickHouse, and caches are told', async (context) => {
    const [owner, other] = await two(context)
    const missed: boolean[] = []
    other.log.subscribe({ missed: (isOf) => missed.push(isOf(PROJECT)) })
    const first = await commitTrace(owner, 'first')
    owner.start()
    other.start()
    await owner.store.settled()
    await eventually('the other lets go of the rows', () => other.store.evictedThrough === 1)
    const second = await commitTrace(owner, 'second')
    await other.log.follow()
    await other.log.held.use(PROJECT)
    assert.deepEqual(await idsAt(other, [first, second]), [first, second])
    assert.deepEqual(missed, [true])
    // It is held already.
    await other.log.held.use(PROJECT)
    assert.deepEqual(missed, [true])
    assert.deepEqual([...owner.errors, ...other.errors], [])
  })

  test('commits that neither memory nor ClickHouse nor the log has are not passed over', async (context) => {
    const [owner, other] = await two(context)
    await commitTrace(owner, 'first')
    await other.log.follow()
    const database = owner.database.withTables<ClusterLogTables>()
    await database.write(function* (): Work<void> {
      yield* run(database.bound((queries) => queries.deleteFrom('commits')))
    })
    await assert.rejects(other.log.held.use(PROJECT), { code: 'storage_unavailable' })
    await assert.rejects(other.log.held.use(PROJECT), { code: 'storage_unavailable' })
  })
}

test('a partition is let go a while after its last use, later after work under the lease', async () => {
  let now = 0
  const taken: number[] = []
  const held = new HeldPartitions({
    memory: { lacking: () => [], complete: () => undefined },
    read: async function* () {},
    taken: (partitions) => void taken.push(...partitions),
    now: () => now,
  })
  const other = PARTITION === 1 ? 2 : 1
  const ends = [await held.use(PROJECT), await held.use(PROJECT)]
  assert.equal(held.areUsedBeyond([PARTITION]), false)
  assert.equal(held.areUsedBeyond([other]), true)
  await held.keep([other])
  now += 60 * 60_000
  for (const end of ends) end()
  assert.equal(held.areUsedBeyond([other]), false)
  now += 29_000
  await held.keep([])
  assert.deepEqual(held.numbers(), [PARTITION])
  const end = await held.use(PROJECT)
  now += 60 * 60_000
  await held.keep([])
  assert.deepEqual(held.numbers(), [PARTITION])
  end()
  end()
  now += 30_000
  await held.keep([])
  assert.deepEqual(held.numbers(), [])
  await held.hold([PARTITION], KEPT_AFTER_WORK_MS)
  await held.hold([PARTITION])
  now += KEPT_AFTER_WORK_MS - 1
  await held.keep([])
  assert.deepEqual(held.numbers(), [PARTITION])
  now += 1
  await held.keep([])
  assert.deepEqual(held.numbers(), [])
  assert.deepEqual(taken, [PARTITION, other, PARTITION])
})

test('a plan that was begun before a partition was taken is not made on all of it', async () => {
  const held = new HeldPartitions({
    memory: { lacking: () => [], complete: () => undefined },
    read: async function* () {},
    taken: () => undefined,
    now: () => 0,
  })
  held.beginPlan()
  await held.hold([3])
  assert.equal(held.haveBeenSincePlan([3]), false)
  held.beginPlan()
  assert.equal(held.haveBeenSincePlan([3]), true)
  assert.equal(held.haveBeenSincePlan([3, 4]), false)
})

/** In the order of `ids`. */
async function idsAt({ log, store }: TestNode, ids: readonly TraceId[]): Promise<TraceId[]> {
  const found = await store.findTraces(PROJECT, ids, log.watermark().version)
  return ids.filter((id) => found.some((trace) => trace.id === id))
}
