import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { startPostgresql } from '../../../../../../scripts/testing/postgresql-server.mjs'
import { eventually } from '../../../../../../e2e/lib/eventually.ts'
import type { CheckResult } from '../../../operation/check-result.ts'
import { describeReplication, examineReplication, type Standby } from './examine-replication.ts'

const standby: Standby = { name: 'b', state: 'streaming', sync: 'async', bytes: 120, seconds: 0.25 }
const LOSES = 'none is synchronous: a failover may lose acknowledged traces'

test('each standby is described; only commits that wait are wrong', () => {
  const describe = (standbys: readonly Standby[], names = '') => {
    const { detail, problems } = describeReplication(standbys, names)
    return [detail, ...problems]
  }
  const waits = (names: string, needed: number, found: number) =>
    `Commits wait: synchronous_standby_names (${names}) needs ${needed} synchronous, and ${found} of those connected are.`
  const said = 'b streaming, async, 120 bytes and 0.3 s behind'
  assert.deepEqual(describe([]), ['no standby is connected'])
  assert.deepEqual(describe([], 'b'), ['no standby is connected', waits('b', 1, 0)])
  assert.deepEqual(describe([standby]), [`${said}; ${LOSES}`])
  assert.deepEqual(describe([standby], 'c'), [said, waits('c', 1, 0)])
  const quorum = { ...standby, sync: 'quorum', bytes: 0, seconds: null }
  const quorumSaid = 'b streaming, quorum, 0 bytes and 0.0 s behind'
  for (const names of ['b', '*', 'ANY 1 (b, c)', '1 (b, c)']) assert.deepEqual(describe([quorum], names), [quorumSaid])
  for (const names of ['ANY 2 (b, c)', 'first 2 (b,c)', ' 2(b,c)'])
    assert.deepEqual(describe([quorum, standby], names), [`${quorumSaid}; ${said}`, waits(names, 2, 1)])
  const backup = { ...standby, name: 'pg_basebackup', state: 'backup', bytes: null, seconds: null }
  assert.deepEqual(describe([backup, quorum], 'b'), [`pg_basebackup backup, async, lag unknown; ${quorumSaid}`])
  const hidden = { name: 'b', state: null, sync: null, bytes: null, seconds: null }
  const only = 'b; only a member of pg_read_all_stats sees their state'
  assert.deepEqual(describe([hidden], 'b'), [only])
  assert.deepEqual(describe([hidden], '2 (b, c)'), [only, waits('2 (b, c)', 2, 1)])
})

const server = await startPostgresql()
const skip = typeof server === 'string' ? server : false

test('a real standby: asynchronous, synchronous, hidden from a role without rights, gone', { skip }, async () => {
  assert.ok(typeof server !== 'string')
  await using stack = new AsyncDisposableStack()
  stack.defer(() => server.stop())
  const operator = new Client({ connectionString: server.url })
  await operator.connect()
  stack.defer(() => operator.end())
  await operator.query(`CREATE ROLE plain LOGIN PASSWORD 'plain'`)
  const plain = new Client({ connectionString: server.url.replace(/\/\/[^@]+@/, '//plain:plain@') })
  await plain.connect()
  stack.defer(() => plain.end())
  const untilSaid = async (expected: RegExp, client = operator): Promise<CheckResult> => {
    let result: CheckResult | null = null
    await eventually(`doctor says ${expected}`, async () => {
      result = await examineReplication(client)
      return expected.test([result.detail, ...result.problems].join('\n'))
    })
    return result!
  }
  assert.equal((await examineReplication(plain)).detail, 'no standby is connected')
  const standbyServer = await server.addStandby('standby_1')
  stack.defer(() => standbyServer.stop())
  const asynchronous = await untilSaid(
    /^standby_1 streaming, async, 0 bytes and [\d.]+ s behind; none is synchronous: /,
  )
  assert.deepEqual(asynchronous.problems, [])
  await operator.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby_1'`)
  await operator.query('SELECT pg_reload_conf()')
  await untilSaid(/^standby_1 streaming, sync, 0 bytes and [\d.]+ s behind$/)
  assert.deepEqual(await examineReplication(plain), {
    part: 'replication',
    detail: 'standby_1; only a member of pg_read_all_stats sees their state',
    problems: [],
  })
  await standbyServer.kill()
  const gone = await untilSaid(/^no standby is connected\nCommits wait: .*\(standby_1\) needs 1 synchronous, and 0 /)
  assert.deepEqual((await examineReplication(plain)).problems, gone.problems)
})
