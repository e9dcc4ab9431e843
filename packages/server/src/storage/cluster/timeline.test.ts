import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { OperatorError } from '../../lib/operator-error.ts'
import { MemoryBlobStore } from '../../ports/media/memory-blob-store.test-support.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { PROJECT } from '../../traces/trace-builders.test-support.ts'
import { writeTimeline } from '../blobs/bucket-timeline.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { laterRowsOn } from '../clickhouse/rows/later-rows.ts'
import type { LeaseTables } from '../sql/leases/lease-tables.ts'
import { SqlLeaseStore } from '../sql/leases/sql-lease-store.ts'
import { examinePostgresql } from '../sql/postgresql/examine-postgresql.ts'
import { eventually } from '../../../../../e2e/lib/eventually.ts'
import {
  clusterServers,
  ClusterWorld,
  commitTrace,
  type TestNode,
  type TestServers,
} from './cluster-world.test-support.ts'
import { NODE_LEASE } from './cluster-log-statements.ts'
import { findRecovery, type Kept, type Recovery } from './recover-stores.ts'
import { SettlingRecord } from './settling-record.ts'
import type { Marks } from './timeline.ts'

const OLDER = /PostgreSQL is older than ClickHouse/

const OF_ALL = 'a PostgreSQL that is older than ClickHouse'
const both = await clusterServers(2)
if (typeof both === 'string') test(OF_ALL, { skip: both }, () => undefined)
else {
  testRemoval(`${OF_ALL}, shards: 1`, { ...both, clickhouse: both.clickhouse.slice(0, 1) })
  testRemoval(`${OF_ALL}, shards: 2`, both)
  testRecovery(OF_ALL, both)
  testRefusal(OF_ALL, both)
}

/** Rows that PostgreSQL does not know leave ClickHouse, with one server and with several. */
function testRemoval(name: string, servers: TestServers): void {
  test(`${name}: PostgreSQL is kept, ClickHouse loses what it does not know`, async (context) => {
    const { world, copy, after, ids } = await worldAndCopy(servers, context)
    // The first trace was changed by the eighth commit, and a merge has dropped its earlier state.
    const [changed, rewritten] = ids as [TraceId, TraceId]
    for (const shard of after.shards) {
      const ofTrace = `SELECT * REPLACE(toUInt64(8) AS ver) FROM traces WHERE id = '${changed}'`
      await shard.command(`INSERT INTO traces ${ofTrace}`)
      await shard.command(`ALTER TABLE traces DELETE WHERE id = '${changed}' AND ver < 8 SETTINGS mutations_sync = 2`)
      // A step of the second one too, but of that trace a merge has dropped the row of the step alone.
      const ofStep = `trace_id = '${rewritten}' AND position = 1`
      await shard.command(
        `INSERT INTO traces SELECT * REPLACE(toUInt64(8) AS ver) FROM traces WHERE id = '${rewritten}'`,
      )
      await shard.command(`INSERT INTO steps SELECT * REPLACE(toUInt64(8) AS ver) FROM steps WHERE ${ofStep}`)
      await shard.command(`ALTER TABLE steps DELETE WHERE ${ofStep} AND ver < 8 SETTINGS mutations_sync = 2`)
    }
    world.url = copy
    await after.close()
    const choices = await keep(world, 'postgresql')
    assert.match(choices.postgresql ?? '', /not know: 5 traces, changes of 2 older ones; in all 11 steps and 0 metric/)
    const node = await goOn(world, ids.slice(0, 5))
    assert.deepEqual(await foundOf(node, ids.slice(5)), [0, 0, 0, 0, 0])
    assert.equal(node.log.watermark().version, 7)
    assert.deepEqual(await node.engine.select(`SELECT ver FROM traces WHERE id = '${changed}'`), [[5]])
    assert.deepEqual(await node.engine.select('SELECT count() FROM steps'), [[14]])
    const ofStep = `SELECT ver FROM steps WHERE trace_id = '${rewritten}' AND position = 1`
    assert.deepEqual(await node.engine.select(ofStep), [[5]])
  })
}

/** With several servers of ClickHouse. With one, e2e/cluster/restored.test.ts tests what is kept. */
function testRecovery(name: string, servers: TestServers): void {
  test(`${name}: ClickHouse is kept, the log continues after it`, async (context) => {
    const { world, copy, after, ids } = await worldAndCopy(servers, context)
    world.url = copy
    await after.close()
    const choices = await keep(world, 'clickhouse')
    assert.match(choices.clickhouse ?? '', /the log continues after commit 10\./)
    const node = await goOn(world, ids)
    assert.equal(node.log.watermark().version, 12)
    assert.match(await timelineOf(world), /:2$/)
    await node.close()
    await world.query("UPDATE settling SET timeline = replace(timeline, ':2', ':1')")
    await assert.rejects(world.node(), /PostgreSQL is older than ClickHouse: it is of timeline 1/)
  })

  test(`${name}: ClickHouse is older: what PostgreSQL still has is settled again`, async (context) => {
    const { world, after, ids } = await worldAndCopy(servers, context)
    const { shards } = await world.clickhouse()
    const forget = async (later: number) => {
      for (const shard of shards)
        for (const table of ['traces', 'steps', 'settled_batches'])
          await shard.command(`ALTER TABLE ${table} DELETE WHERE ver > ${later} SETTINGS mutations_sync = 2`)
      for (const shard of shards)
        await shard.insert('settled_batches', Buffer.from(JSON.stringify({ log: await timelineOf(world), ver: later })))
    }
    await after.close()
    await forget(5)
    await assert.rejects(
      world.node({ patienceMs: 0 }),
      /ClickHouse is older than PostgreSQL: it has commits through 5 /,
    )
    const choices = await keep(world, 'postgresql')
    assert.deepEqual(choices, { postgresql: 'writes 5 commits to ClickHouse again. Nothing is lost.' })
    const node = await goOn(world, ids)
    await node.close()
    await forget(5)
    await world.query('DELETE FROM commits WHERE version <= 8')
    await world.query('UPDATE settling SET pruned_through = 8')
    const less = await keep(world, 'postgresql')
    assert.match(less.postgresql ?? '', /^writes 4 commits to ClickHouse again. Commits 6 to 8 are in neither/)
    const last = await goOn(world, [...ids.slice(0, 5), ...ids.slice(8)])
    assert.deepEqual(await foundOf(last, ids.slice(5, 8)), [0, 0, 0])
  })

  test(`${name}: a node that settles into an older ClickHouse ends`, async (context) => {
    const world = await ClusterWorld.open(servers, context)
    let ms = 0
    const node = await world.node({ timers: { ...systemTimers, now: () => systemTimers.now() + ms } })
    node.start()
    await commitTrace(node, '1')
    await node.store.settled()
    for (const shard of node.shards) await shard.command('TRUNCATE TABLE settled_batches')
    await commitTrace(node, '2')
    await eventually('an error of the node', () => node.errors.length > 0)
    assert.match(node.errors[0] ?? '', /^commits could not be moved .* ClickHouse is older than PostgreSQL/)
    ms = 60_000
    await eventually('a fatal error of the node', () => node.errors.at(-1)?.startsWith('fatal: ') === true)
    assert.deepEqual(await node.engine.select('SELECT count() FROM traces'), [[1]])
  })

  test(`${name}: a node starts while another one settles`, async (context) => {
    const world = await ClusterWorld.open(servers, context)
    const settling = await world.node()
    settling.start()
    await commitTrace(settling, 'first')
    await settling.store.settled()
    let batches = 0
    const settleBefore = (engine: TelemetryEngine): TelemetryEngine => ({
      ...engine,
      async select(sql) {
        if (sql.includes('settled_batches')) {
          await commitTrace(settling, `batch ${++batches}`)
          await settling.store.settled()
        }
        return engine.select(sql)
      },
    })
    await world.node({ through: settleBefore })
    assert.ok(batches >= servers.clickhouse.length)
    assert.deepEqual(settling.errors, [])
  })
}

/** Refusals, with several servers: each has a mark of its own. */
function testRefusal(name: string, servers: TestServers): void {
  test(`${name}: no node starts, and doctor says by how much`, async (context) => {
    const { world, copy, after } = await worldAndCopy(servers, context)
    await after.close()
    world.url = copy
    await assert.rejects(
      world.node(),
      (error) => error instanceof OperatorError && OLDER.test(error.message) && /\b10\b.*\b5\b/.test(error.message),
    )
    const timeline = await timelineOf(world)
    assert.match((await settlingProblems(copy, [new Map([[timeline, 10]])])).join(), OLDER)
    assert.deepEqual(await settlingProblems(copy, [new Map([[timeline, 5]])]), [])
  })

  test(`${name}: servers of another store are refused`, async (context) => {
    const { world, after } = await worldAndCopy(servers, context)
    const other = await servers.postgresql.emptyUrl(context)
    await servers.postgresql.open(context, { url: other })
    await after.close()
    const own = await timelineOf(world)
    world.url = other
    await assert.rejects(world.node(), /ClickHouse belongs to another store/)
    const blobs = new MemoryBlobStore()
    await writeTimeline(blobs, own)
    await assert.rejects(recoveryOf(world, blobs), OperatorError)
  })

  test(`${name}: a node that runs on it ends`, async (context) => {
    const world = await ClusterWorld.open(servers, context)
    const first = await world.node()
    await commitAll(first, ['1', '2'])
    await first.close()
    const lost = world.url
    const restored = await world.copy()
    world.url = restored
    const node = await world.node()
    world.url = lost
    const other = await world.node()
    other.start()
    await commitTrace(other, 'lost')
    await other.store.settled()
    node.start()
    await commitTrace(node, 'new')
    await eventually('an error of the node', () => node.errors.length > 0)
    assert.match(node.errors[0] ?? '', /^fatal: OperatorError: PostgreSQL is older than ClickHouse/)
    assert.deepEqual(await servers.postgresql.query(restored, 'SELECT settled_through, batch_id FROM settling'), [
      { settled_through: '0', batch_id: null },
    ])
  })

  test(`${name}: a batch that PostgreSQL has forgotten ends the node that has settled it`, async (context) => {
    const world = await ClusterWorld.open(servers, context)
    const { database } = await world.node()
    const leases = new SqlLeaseStore(database.uncounted().withTables<LeaseTables>(), systemClock)
    const record = new SettlingRecord(database.uncounted())
    const lease = await leases.take(NODE_LEASE, 'a', 15_000)
    assert.ok(lease !== null)
    const batch = await record.fix(lease, { id: 'batch', through: 3 }, [])
    assert.ok(batch !== null)
    assert.deepEqual(
      await record.fix(lease, { id: 'other', through: 4 }, [new Map([[batch.timeline, 3]])]),
      batch,
      'its mark may be there already',
    )
    await world.query('UPDATE settling SET batch_id = NULL, batch_through = NULL')
    await assert.rejects(record.finish(lease, batch), OLDER)
    await record.fix(lease, { id: 'batch', through: 3 }, [])
    assert.equal(await record.finish(lease, batch), true)
    assert.equal(await record.finish(lease, batch), true, 'an answer was lost, and the change came later')
  })

  test(`${name}: a node that has read lost commits ends`, async (context) => {
    const { world, after } = await worldAndCopy(servers, context)
    await world.query('DELETE FROM commits WHERE version > 8')
    await world.query('UPDATE journal_state SET version = 8')
    await eventually('an error of the later node', () => after.errors.length > 0)
    assert.match(after.errors[0] ?? '', /^fatal: LostCommitsError: PostgreSQL has lost commits/)
  })
}

async function commitAll(node: TestNode, keys: readonly string[]): Promise<TraceId[]> {
  const ids: TraceId[] = []
  for (const key of keys) ids.push(await commitTrace(node, key))
  return ids
}

/** Five commits, a copy of PostgreSQL, and five more commits that settle. */
async function worldAndCopy(servers: TestServers, context: TestContext) {
  const world = await ClusterWorld.open(servers, context)
  const before = await world.node()
  before.start()
  const ids = await commitAll(before, ['1', '2', '3', '4', '5'])
  await before.store.settled()
  await before.close()
  const copy = await world.copy()
  const after = await world.node()
  after.start()
  ids.push(...(await commitAll(after, ['6', '7', '8', '9', '10'])))
  await after.store.settled()
  return { world, copy, after, ids }
}

async function timelineOf(world: ClusterWorld): Promise<string> {
  return String((await world.query('SELECT timeline FROM settling'))[0]?.['timeline'])
}

async function recoveryOf(world: ClusterWorld, blobs = new MemoryBlobStore()): Promise<Recovery | null> {
  const { engine, shards } = await world.clickhouse()
  const settled = new ClickHouseTraceStore(engine, { shards })
  return findRecovery({ database: await world.postgresql(), settled, later: laterRowsOn(shards), blobs })
}

async function keep(world: ClusterWorld, kept: Kept): Promise<Recovery['choices']> {
  const recovery = await recoveryOf(world)
  assert.ok(recovery !== null)
  await recovery.recover(kept)
  assert.equal(await recoveryOf(world), null)
  return recovery.choices
}

async function foundOf(node: TestNode, ids: readonly TraceId[]): Promise<number[]> {
  const { version } = node.log.watermark()
  const found = await Promise.all(ids.map((id) => node.store.findTraces(PROJECT, [id], version)))
  return found.map(({ length }) => length)
}

/** Settles two more commits, which must be there with the others. */
async function goOn(world: ClusterWorld, ids: readonly TraceId[]): Promise<TestNode> {
  const node = await world.node({ patienceMs: 0 })
  node.start()
  const more = await commitAll(node, ['11', '12'])
  await node.store.settled().catch((error: unknown) => assert.fail(`${String(error)} ${node.errors.join()}`))
  assert.deepEqual(
    await foundOf(node, [...ids, ...more]),
    Array.from([...ids, ...more], () => 1),
  )
  assert.deepEqual(node.errors, [])
  return node
}

async function settlingProblems(url: string, marks: Marks): Promise<readonly string[]> {
  for await (const { part, problems } of examinePostgresql(url, null, marks)) if (part === 'settling') return problems
  throw new Error('there is no such part')
}
