import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { OperatorError } from '../../lib/operator-error.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { PROJECT } from '../../traces/trace-builders.test-support.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import type { LeaseTables } from '../sql/leases/lease-tables.ts'
import { SqlLeaseStore } from '../sql/leases/sql-lease-store.ts'
import { examinePostgresql } from '../sql/postgresql/examine-postgresql.ts'
import {
  clusterServers,
  ClusterWorld,
  commitTrace,
  eventually,
  type TestNode,
  type TestServers,
} from './cluster-world.test-support.ts'
import { SETTLING_LEASE } from './cluster-settler.ts'
import { SettlingRecord } from './settling-record.ts'

const OLDER = /PostgreSQL is older than ClickHouse/
const PAGE = new URL('../../../../../docs/operate/backup-and-restore.md', import.meta.url)

for (const shards of [1, 2]) {
  const servers = await clusterServers(shards)
  const name = `a PostgreSQL that is older than ClickHouse, shards: ${shards}`
  if (typeof servers === 'string') test(name, { skip: servers }, () => undefined)
  else testOlder(name, servers, shards)
}

function testOlder(name: string, servers: TestServers, shards: number): void {
  const commitAll = async (node: TestNode, keys: readonly string[]) => {
    const ids: TraceId[] = []
    for (const key of keys) ids.push(await commitTrace(node, key))
    return ids
  }
  /** Five commits, a copy of PostgreSQL, and five more commits that settle. */
  const worldAndCopy = async (context: TestContext) => {
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

  test(`${name}: no node starts, and doctor says what is wrong, until the operator goes on above it`, async (context) => {
    const { world, copy, after, ids } = await worldAndCopy(context)
    await after.close()
    world.url = copy
    await assert.rejects(
      world.node(),
      (error) => error instanceof OperatorError && OLDER.test(error.message) && /\b10\b.*\b5\b/.test(error.message),
    )
    assert.match((await settlingProblems(copy, 10)).join(), OLDER)
    assert.deepEqual(await settlingProblems(copy, 5), [])

    for (const statement of wayOut(10)) await world.query(statement)
    assert.deepEqual(await settlingProblems(copy, 10), [])
    const node = await world.node()
    node.start()
    ids.push(...(await commitAll(node, ['11', '12'])))
    await node.store.settled()
    const version = node.log.watermark().version
    assert.equal(version, 12)
    for (const id of ids) assert.equal((await node.store.findTraces(PROJECT, [id], version)).length, 1)
    assert.deepEqual(node.errors, [])
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
    await eventually(() => node.errors.length > 0)
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
    const lease = await leases.take(SETTLING_LEASE, 'a', 15_000)
    assert.ok(lease !== null)
    const batch = await record.fix(lease, { id: 'batch', through: 3 }, 0)
    assert.ok(batch !== null)
    assert.deepEqual(await record.fix(lease, { id: 'other', through: 4 }, 3), batch, 'its mark may be there already')
    await world.query('UPDATE settling SET batch_id = NULL, batch_through = NULL')
    await assert.rejects(record.finish(lease, batch), OLDER)
    await record.fix(lease, { id: 'batch', through: 3 }, 0)
    assert.equal(await record.finish(lease, batch), true)
    assert.equal(await record.finish(lease, batch), true, 'an answer was lost, and the change came later')
  })

  test(`${name}: a node that has read lost commits ends`, async (context) => {
    const { world, after } = await worldAndCopy(context)
    await world.query('DELETE FROM commits WHERE version > 8')
    await world.query('UPDATE journal_state SET version = 8')
    await eventually(() => after.errors.length > 0)
    assert.match(after.errors[0] ?? '', /^fatal: LostCommitsError: PostgreSQL has lost commits/)
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
    assert.ok(batches > shards)
    assert.deepEqual(settling.errors, [])
  })
}

async function settlingProblems(url: string, marked: number): Promise<readonly string[]> {
  for await (const { part, problems } of examinePostgresql(url, null, marked)) if (part === 'settling') return problems
  throw new Error('there is no such part')
}

/** The statements of the page for operators, with the number that the refusal names. */
function wayOut(marked: number): readonly string[] {
  const [, sql] = /```sql\n(.+?)```/s.exec(readFileSync(PAGE, 'utf8')) ?? []
  assert.ok(sql !== undefined)
  return sql
    .replaceAll('1234', String(marked))
    .split(/;\n/)
    .filter((statement) => statement.trim() !== '')
}
