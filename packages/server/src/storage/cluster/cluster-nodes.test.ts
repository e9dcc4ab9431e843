import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { NO_UNKNOWNS } from '../../ports/log/log.ts'
import type { FeedCandidateQuery } from '../../ports/traces/trace-store.ts'
import { greatestId, idAtTime } from '../../lib/ids/ids.ts'
import { PROJECT } from '../../traces/trace-builders.test-support.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import type { LeaseTables } from '../sql/leases/lease-tables.ts'
import { SqlLeaseStore } from '../sql/leases/sql-lease-store.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { systemTimers, type Timers } from '../../lib/time/timers.ts'
import { LogGapError } from './log-errors.ts'
import type { LogHead } from './log-head.ts'
import { eventually } from '../../../../../e2e/lib/eventually.ts'
import {
  clusterServers,
  ClusterWorld,
  commitTrace,
  type TestNode,
  type TestServers,
} from './cluster-world.test-support.ts'
import { BACKUP_LEASE, NODE_LEASE } from './cluster-log-statements.ts'
import { SettlingRecord } from './settling-record.ts'

const servers = await clusterServers(1)
if (typeof servers === 'string') test('several nodes', { skip: servers }, () => undefined)
else testNodes(servers)

const HOUR_MS = 3_600_000
const EVERYTHING: FeedCandidateQuery = {
  projectId: PROJECT,
  termGroups: [],
  bounds: [],
  steps: null,
  rates: null,
  words: null,
  lowestId: idAtTime('tr', 0),
  highestId: greatestId('tr'),
  created: null,
  among: null,
  sort: 'created_at',
  order: 'asc',
  atVersion: null,
  after: null,
  limit: 10_000,
}

function testNodes(on: TestServers): void {
  const nodes = async (context: TestContext, count: number) => {
    const world = await ClusterWorld.open(on, context)
    const opened: TestNode[] = []
    for (let one = 0; one < count; one++) opened.push(await world.node())
    for (const node of opened) node.start()
    return { world, opened }
  }

  test('what one node acknowledged, another shows at once, while both settle', async (context) => {
    const { opened } = await nodes(context, 2)
    const [a, b] = opened as [TestNode, TestNode]
    const acknowledged: TraceId[] = []
    for (let commit = 1; commit <= 60; commit++) {
      const [writer, reader] = commit % 2 === 0 ? [a, b] : [b, a]
      acknowledged.push(await commitTrace(writer, `key ${commit}`))
      await reader.log.follow()
      await assertReads(reader, acknowledged)
      if (commit % 20 === 0) await reader.store.settled()
    }
    await b.store.settled()
    await assertSettledOnce(a, acknowledged)
    assert.equal(b.store.unsettledBytes, 0)
    assert.deepEqual([...a.errors, ...b.errors], [])
  })

  test('an idle node is woken by a commit and by a read that waits, whichever node they are at', async (context) => {
    const world = await ClusterWorld.open(on, context)
    // The pauses of an idle node never end by themselves.
    const after: Timers['after'] = (ms, run) => (ms < 1000 ? systemTimers.after(ms, run) : () => undefined)
    const timers = { ...systemTimers, after }
    const heads: LogHead[] = []
    const idle = await world.node({ timers, onHead: (head) => heads.push(head) })
    const other = await world.node()
    idle.start()
    for (const key of ['first', 'second']) {
      const version = other.log.watermark().version + 1
      await commitTrace(other, key)
      await eventually('the idle node has read the log', () => idle.log.watermark().version === version)
    }
    await new SettlingRecord(other.database.uncounted()).want(2)
    await eventually('the node wants both commits', () => heads.at(-1)?.wantedThrough === 2)
  })

  test('what a key of another node names is readable once the key is known', async (context) => {
    const world = await ClusterWorld.open(on, context)
    // Neither is started, so neither reads the log by itself.
    const [a, b] = [await world.node(), await world.node()]
    const id = await commitTrace(a, 'shared')
    const known = await b.log.lookUp({ ...NO_UNKNOWNS, traceKeys: [{ projectId: PROJECT, key: 'shared' }] })
    assert.equal(known.traceKey(PROJECT, 'shared')?.traceId, id)
    const found = await b.store.findTraces(PROJECT, [id], b.log.watermark().version)
    assert.deepEqual(
      found.map((trace) => trace.id),
      [id],
    )
  })

  test('a node that starts reads what has not settled, and what has', async (context) => {
    const { world, opened } = await nodes(context, 1)
    const [a] = opened as [TestNode]
    const acknowledged = [await commitTrace(a, 'settled')]
    await a.store.settled()
    await a.close()
    // Nobody settles: this node has not started.
    const b = await world.node()
    for (let commit = 0; commit < 3; commit++) acknowledged.push(await commitTrace(b, `not settled ${commit}`))
    const late = await world.node()
    await assertReads(late, acknowledged)
    assert.equal(late.store.unsettled.length, 3)
  })

  for (const [where, stops] of [
    ['before its rows are in ClickHouse', { table: 'steps', before: true }],
    ['between two tables', { table: 'traces', before: true }],
    ['between its rows and its mark', { table: 'settled_batches', before: true }],
    ['between its mark and the record of it', { table: 'settled_batches', before: false }],
  ] as const) {
    test(`a node that stops in the middle of a batch, ${where}, loses and doubles nothing`, async (context) => {
      const world = await ClusterWorld.open(on, context)
      const stop = new Stop(stops)
      // The first start writes into the table of marks, too.
      await (await world.node()).close()
      const a = await world.node({ through: (engine) => stop.of(engine) })
      a.start()
      const acknowledged = [await commitTrace(a, 'first')]
      await stop.reached
      const b = await world.node()
      b.start()
      await assertReads(b, acknowledged)
      await world.query(`UPDATE leases SET until = 0`)
      acknowledged.push(await commitTrace(b, 'second'))
      await b.store.settled()
      await assertSettledOnce(b, acknowledged)
      const [record] = await world.query('SELECT settled_through FROM settling')
      // The stopped node goes on: it still believes that it holds the lease.
      stop.end()
      acknowledged.push(await commitTrace(a, 'third'))
      await b.store.settled()
      await a.store.settled()
      await assertSettledOnce(b, acknowledged)
      assert.equal(record?.['settled_through'], '2')
      await assertReads(a, acknowledged)
      await assertReads(b, acknowledged)
    })
  }

  test('what a stale holder writes is refused', async (context) => {
    const { world, opened } = await nodes(context, 0)
    assert.equal(opened.length, 0)
    const { database } = await world.node()
    const leases = new SqlLeaseStore(database.uncounted().withTables<LeaseTables>(), systemClock)
    const record = new SettlingRecord(database.uncounted())
    const stale = await leases.take(NODE_LEASE, 'a', 15_000)
    assert.ok(stale !== null)
    const fixed = await record.fix(stale, { id: 'batch', through: 3 }, [])
    assert.ok(fixed !== null)
    const { timeline } = fixed
    assert.deepEqual(fixed, { id: 'batch', after: 0, through: 3, timeline })
    await world.query('UPDATE leases SET until = 0')
    const lease = await leases.take(NODE_LEASE, 'b', 15_000)
    assert.ok(lease !== null)
    assert.equal(await record.fix(stale, { id: 'other', through: 4 }, []), null)
    assert.equal(await record.finish(stale, fixed), null)
    assert.equal(await record.prune(stale, 0), null)
    assert.deepEqual(await record.fix(lease, { id: 'other', through: 4 }, []), fixed)
    assert.equal(await record.finish(lease, fixed), true)
    const empty = { id: 'empty', through: 3 }
    assert.deepEqual(await record.fix(lease, empty, []), { ...empty, after: 3, timeline })
    assert.deepEqual(await world.query('SELECT settled_through, batch_id FROM settling'), [
      { settled_through: '3', batch_id: null },
    ])
  })

  test('settled commits are deleted from the log after a while; a node that has not read them ends', async (context) => {
    const { world, opened } = await nodes(context, 1)
    const [a] = opened as [TestNode]
    const slow = await world.node()
    const slower = await world.node()
    const ids = [await commitTrace(a, '1'), await commitTrace(a, '2')]
    await a.store.settled()
    const purged = ids.map((traceId) => ({ projectId: PROJECT, traceId }))
    assert.deepEqual(await a.store.purgeTraces(purged), [], 'their payloads are in PostgreSQL')
    const leases = new SqlLeaseStore(a.database.uncounted().withTables<LeaseTables>(), systemClock)
    const record = new SettlingRecord(a.database.uncounted())
    await a.close()
    const lease = await leases.take(NODE_LEASE, 'pruning', 15_000)
    assert.ok(lease !== null)
    await record.prune(lease, 10 * 60_000)
    assert.deepEqual(await world.query('SELECT count(*) FROM commits'), [{ count: '2' }])
    await world.query('UPDATE settled_marks SET settled_at = settled_at - 600000')
    const held = await leases.take(BACKUP_LEASE, 'backup', 15_000)
    assert.ok(held !== null)
    await record.prune(lease, 10 * 60_000)
    assert.deepEqual(await world.query('SELECT count(*) FROM commits'), [{ count: '2' }])
    await leases.release(held)
    await record.prune(lease, 10 * 60_000)
    assert.deepEqual(await world.query('SELECT count(*) FROM commits'), [{ count: '0' }])
    await assert.rejects(slow.log.follow(), LogGapError)
    const b = await world.node()
    await assertReads(b, ids)
    const third = await commitTrace(b, '3')
    await assertReads(b, [...ids, third])
    await assert.rejects(slower.log.follow(), LogGapError)
    slower.start()
    await eventually('an error of the slower node', () => slower.errors.length > 0)
    assert.match(slower.errors[0] ?? '', /^fatal: LogGapError: This node has read the log through commit 0/)
    const heldAgain = await leases.take(BACKUP_LEASE, 'backup', 60_000)
    assert.ok(heldAgain !== null)
    await b.log.follow()
    assert.deepEqual(await b.store.purgeTraces(purged), [], 'a backup is being made')
    await leases.release(heldAgain)
    await b.log.follow()
    await eventually('the purge has ended', async () => (await b.store.purgeTraces(purged)).length > 0)
    assert.deepEqual(await b.engine.select('SELECT count() FROM traces'), [[0]])
  })

  test('while a shard of ClickHouse is away, writes and reads of recent rows go on up to a bound', async (context) => {
    const world = await ClusterWorld.open(on, context)
    const node = await world.node({ mostUnsettledBytes: 30_000 })
    const other = await world.node({ mostUnsettledBytes: 30_000 })
    for (const one of [node, other]) one.start()
    const acknowledged = [await commitTrace(node, 'before')]
    await node.store.settled()
    const shard = on.clickhouse.at(-1)
    await shard?.kill()
    for (let commit = 1; commit <= 5; commit++) acknowledged.push(await commitTrace(node, `away ${commit}`))
    await other.log.follow()
    for (const id of acknowledged.slice(1)) {
      assert.equal((await other.store.openTrace(PROJECT, id, other.log.watermark().version)).firstSteps.length, 2)
      // What a retry of the request is answered with.
      const range = { projectId: PROJECT, traceId: id, fromPosition: 0, limit: 2, maxVersion: Number.MAX_SAFE_INTEGER }
      assert.equal((await other.store.findStepHeads(range)).length, 2)
    }
    const isUnavailable = (error: unknown) => error instanceof DomainError && error.code === 'storage_unavailable'
    await assert.rejects(node.store.settled(), isUnavailable)
    await assert.rejects(async () => {
      for (let commit = 6; commit <= 100; commit++) acknowledged.push(await commitTrace(node, `away ${commit}`))
    }, isUnavailable)
    assert.ok(acknowledged.length < 20, `${acknowledged.length} fitted`)
    assert.equal(node.log.refusal()?.code, 'storage_unavailable')
    await shard?.start()
    const hasSettled = ({ log, store }: TestNode) => log.refusal() === null && store.unsettledBytes === 0
    await eventually('both have settled', () => hasSettled(node) && hasSettled(other))
    acknowledged.push(await commitTrace(node, 'after'))
    await other.log.follow()
    await other.store.settled()
    await assertSettledOnce(node, acknowledged)
    assert.ok([...node.recovered, ...other.recovered].includes('settling'))
  })

  test('a shard of ClickHouse that lacks settled commits ends the start', async (context) => {
    const { world, opened } = await nodes(context, 1)
    const [a] = opened as [TestNode]
    await commitTrace(a, '1')
    await a.store.settled()
    await a.shards.at(-1)?.command('TRUNCATE TABLE settled_batches')
    await assert.rejects(world.node({ patienceMs: 0 }), OperatorError)
  })

  test('ids of traces are in commit order, with clocks that are an hour apart', async (context) => {
    const world = await ClusterWorld.open(on, context)
    const clocks = [-HOUR_MS, 0, HOUR_MS].map((offset) => ({ now: () => Date.now() + offset }))
    const opened = await Promise.all(clocks.map((clock) => world.node({ clock })))
    const created: TraceId[] = []
    opened[0]?.log.subscribe({ committed: ({ plan }) => void created.push(...plan.traces.map(({ id }) => id)) })
    await Promise.all(
      opened.map(async (node, at) => {
        for (let commit = 0; commit < 8; commit++) await commitTrace(node, `${at} ${commit}`, clocks[at]?.now())
      }),
    )
    await opened[0]?.log.follow()
    assert.equal(created.length, 24)
    assert.deepEqual(created, created.toSorted())
    for (const node of opened) {
      await node.log.follow()
      const { lastTraceId, idLeadMs } = node.log.watermark()
      assert.equal(lastTraceId, created.at(-1))
      assert.ok(idLeadMs <= 2 * HOUR_MS + 60_000)
      await assertReads(node, created)
    }
    const late = await world.node({ clock: clocks[0] as { now: () => number } })
    assert.ok((await commitTrace(late, 'late')) > (created.at(-1) as TraceId))
  })
}

/** What the node shows is exactly this, each once. */
async function assertReads(node: TestNode, ids: readonly TraceId[]): Promise<void> {
  const candidates = await node.store.findFeedCandidates(EVERYTHING)
  assert.deepEqual(
    candidates.map(({ id }) => id),
    ids.toSorted(),
  )
  const last = ids.at(-1) as TraceId
  const { version } = node.log.watermark()
  assert.equal((await node.store.findTraces(PROJECT, [last], version)).length, 1)
  const range = { projectId: PROJECT, traceId: last, fromPosition: 0, limit: 10, maxVersion: version }
  assert.deepEqual(
    (await node.store.findSteps(range)).map(({ position }) => position),
    [0, 1],
  )
}

/** ClickHouse has each row once. */
async function assertSettledOnce({ engine }: TestNode, ids: readonly TraceId[]): Promise<void> {
  const traces = await engine.select('SELECT id FROM traces ORDER BY id')
  assert.deepEqual(
    traces.map(([id]) => id),
    ids.toSorted(),
  )
  const steps = await engine.select('SELECT trace_id, position FROM steps ORDER BY trace_id, position')
  assert.deepEqual(
    steps,
    ids.toSorted().flatMap((id) => [
      [id, 0],
      [id, 1],
    ]),
  )
}

/** A process that is stopped at one insert, as by SIGSTOP, and goes on at `end`. */
class Stop {
  readonly reached: Promise<void>
  readonly #at: { readonly table: string; readonly before: boolean }
  #reach: () => void = () => undefined
  #end: () => void = () => undefined
  readonly #ended: Promise<void>
  #hasStopped = false

  constructor(at: { readonly table: string; readonly before: boolean }) {
    this.#at = at
    this.reached = new Promise((resolve) => (this.#reach = resolve))
    this.#ended = new Promise((resolve) => (this.#end = resolve))
  }

  end(): void {
    this.#end()
  }

  of(engine: TelemetryEngine): TelemetryEngine {
    return {
      ...engine,
      insert: async (table, rows, batch) => {
        const stops = table === this.#at.table && !this.#hasStopped
        if (stops) this.#hasStopped = true
        if (stops && this.#at.before) await this.#stop()
        await engine.insert(table, rows, batch)
        if (stops && !this.#at.before) await this.#stop()
      },
    }
  }

  async #stop(): Promise<void> {
    this.#reach()
    await this.#ended
  }
}
