import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CheckResult } from '../../operation/check-result.ts'
import { describeActivity, examinePostgresql } from '../sql/postgresql/examine-postgresql.ts'
import { clusterServers, ClusterWorld, commitTrace, type TestServers } from './cluster-world.test-support.ts'

const servers = await clusterServers()
if (typeof servers === 'string') test('spoor doctor of PostgreSQL', { skip: servers }, () => undefined)
else testDoctor(servers)

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
  assert.match(describeActivity({ ...healthy, longest: 601 }).problems.join(), /^Such a long transaction/)
})
