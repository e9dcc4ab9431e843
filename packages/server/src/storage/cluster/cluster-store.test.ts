import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { eventually } from '../../../../../e2e/lib/eventually.ts'
import type { CheckResult } from '../../operation/check-result.ts'
import { testMetricEventStore } from '../../ports/metrics/metric-event-store.conformance.ts'
import { testTraceStore } from '../../ports/traces/trace-store.conformance.ts'
import { newMetricEvent } from '../../traces/commit/metric-event-builders.test-support.ts'
import { termsWithInherited } from '../../traces/rules/terms.ts'
import { PROJECT } from '../../traces/trace-builders.test-support.ts'
import { ClickHouseMetricEvents } from '../clickhouse/rows/clickhouse-metric-events.ts'
import { JoinedMetricEventStore } from '../recent/joined-metric-event-store.ts'
import { run, type Work } from '../sql/kit/sql-database.ts'
import { describeActivity, examinePostgresql } from '../sql/postgresql/examine-postgresql.ts'
import type { ClusterLogTables } from './cluster-log-statements.ts'
import {
  clusterServers,
  ClusterWorld,
  commitRows,
  commitTrace,
  type TestNode,
  type TestServers,
} from './cluster-world.test-support.ts'
import { HeldPartitions, KEPT_AFTER_WORK_MS } from './held-partitions.ts'
import { ALL_PARTITIONS, partitionOf } from './partitions.ts'

const servers = await clusterServers(1)
if (typeof servers === 'string') test('nodes on one server of ClickHouse', { skip: servers }, () => undefined)
else {
  testPartitions(servers)
  testStores(servers)
  testDoctor(servers)
}

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

function testStores(on: TestServers): void {
  describe('the newest commit is in memory, those before it are in ClickHouse', () => {
    const cleanups: (() => unknown)[] = []
    let writer: TestNode
    let node: TestNode
    before(async () => {
      const world = await ClusterWorld.open(on, {
        after: (cleanup) => void cleanups.push(cleanup as () => unknown),
      })
      ;[writer, node] = [await world.node(), await world.node()]
      writer.start()
      node.start()
      // Rows of these suites have versions of their own, which are not those of commits.
      await world.query(`UPDATE settling SET pruned_through = ${Number.MAX_SAFE_INTEGER}`)
    })
    after(async () => {
      for (const cleanup of cleanups.toReversed()) await cleanup()
    })
    const write = async (rows: Parameters<typeof commitRows>[1]) => {
      await writer.store.settled()
      await commitRows(writer, rows)
      await node.log.follow()
    }
    testTraceStore(() => ({
      store: node.store,
      write: (traces, steps, metricEvents = []) => write({ traces, steps, metricEvents }),
      async merge() {
        await node.store.settled()
        for (const shard of node.shards) await shard.command('OPTIMIZE TABLE traces FINAL')
      },
    }))
    const deleted = new Set<TraceId>()
    testMetricEventStore(() => ({
      store: new JoinedMetricEventStore({
        recent: node.store.recentMetricEvents,
        settled: new ClickHouseMetricEvents(node.engine),
        journal: {
          removedEvents: async () => new Set(),
          deletedAmong: async (ids) => new Set(ids.filter((id) => deleted.has(id))),
        },
        clock: { now: () => Date.UTC(2026, 5, 1) },
      }),
      async write(events, { runType, models, metadata } = { runType: 'agent', models: [], metadata: {} }) {
        const termsOf = termsWithInherited(Buffer.from(JSON.stringify(metadata)))
        await write({
          metricEvents: events.map((record) =>
            newMetricEvent(record, { runType, models, terms: termsOf(record.metadata) }),
          ),
        })
      },
      deleteTrace: async (_projectId, traceId) => void deleted.add(traceId),
    }))
  })
}

function testDoctor(given: TestServers): void {
  const examine = async ({ url }: ClusterWorld, part: string): Promise<CheckResult> => {
    for await (const result of examinePostgresql(url, null, [])) if (result.part === part) return result
    throw new Error(`nothing is said of ${part}`)
  }

  test('a backlog is wrong when its oldest commit has waited for a minute', async (context) => {
    const world = await ClusterWorld.open(given, context)
    assert.match((await examine(world, 'settling')).detail, /^0 commits with 0 bytes wait to be settled$/)
    const node = await world.node()
    await commitTrace(node, 'new')
    const fresh = await examine(world, 'settling')
    assert.match(fresh.detail, /^1 commits with \d+ bytes wait to be settled, the oldest for \d s$/)
    assert.deepEqual(fresh.problems, [])
    const other = await ClusterWorld.open(given, context)
    await commitTrace(await other.node(), 'old', Date.now() - 90_000)
    const old = await examine(other, 'settling')
    assert.match(old.detail, /, the oldest for 9\d s$/)
    assert.match(old.problems.join(), /^Too much waits/)
  })

  test('a backlog is wrong when it is large', async (context) => {
    const world = await ClusterWorld.open(given, context)
    await commitTrace(await world.node(), 'new')
    const insert = `INSERT INTO commits SELECT version + 1, id, decode(repeat('00', 17000000), 'hex'), journal_rows, journal_head, bytes, partitions FROM commits`
    await world.query(insert)
    assert.match((await examine(world, 'settling')).problems.join(), /^Too much waits/)
  })

  test('connections are counted, of this node and of others', async (context) => {
    const world = await ClusterWorld.open(given, context)
    await commitTrace(await world.node(), 'new')
    const { detail, problems } = await examine(world, 'activity')
    const [used = 0, most = 0] = (detail.match(/\d+/g) ?? []).map(Number)
    assert.ok(used >= 2 && most > used, detail)
    assert.deepEqual(problems, [])
  })
}

test('no room for another node is wrong, and so is a transaction of more than ten minutes', () => {
  const healthy = { most: 97, used: 77, longest: 600 }
  assert.deepEqual(describeActivity(healthy).problems, [])
  assert.match(describeActivity({ ...healthy, used: 88 }).problems.join(), /^There is no room .* raise max_connections/)
  assert.deepEqual(describeActivity({ ...healthy, used: 88 }, true).problems, [])
  assert.match(describeActivity({ ...healthy, longest: 601 }).problems.join(), /^Such a long transaction/)
})
