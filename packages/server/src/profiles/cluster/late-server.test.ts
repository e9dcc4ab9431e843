import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { TelemetryEngine } from '../../storage/clickhouse/engine/telemetry-engine.ts'
import { SINGLE_SERVER } from '../../storage/clickhouse/server/server-dialects.ts'
import { ServerError } from '../../storage/clickhouse/server/server-connection.ts'
import { isAway, LateServer } from './late-server.ts'

function preparedOf(closed: string[]) {
  const engine = (name: string): TelemetryEngine => ({
    select: async () => [[name]],
    selectParquet: async () => Buffer.from(name),
    command: async () => undefined,
    insert: async () => undefined,
    close: async () => void closed.push(name),
  })
  const shards = [engine('one'), engine('two')]
  return { engine: engine('all'), shards, dialect: SINGLE_SERVER, version: '1', spread: null }
}

const WRONG_PASSWORD = { name: 'ClickHouseError', message: 'wrong password', code: '516', type: undefined }
const AWAY = { name: 'DomainError', code: 'storage_unavailable' }

test('everything is refused until the server is open, and then passed on', async () => {
  const closed: string[] = []
  const server = new LateServer(2)
  await assert.rejects(server.engine.select('SELECT 1'), AWAY)
  await assert.rejects(server.engine.insert('traces', Buffer.alloc(0)), AWAY)
  await assert.rejects(server.shards[1]!.command('SYSTEM SYNC REPLICA traces'), AWAY)
  assert.throws(() => server.catchUp('traces'), AWAY)
  assert.equal(server.isOpen, false)
  await server.open(preparedOf(closed))
  const answers = await Promise.all([server.engine, ...server.shards].map((engine) => engine.select('SELECT 1')))
  assert.deepEqual(answers, [[['all']], [['one']], [['two']]])
  assert.deepEqual([server.isOpen, server.catchUp('traces')], [true, null])
  await server.close()
  assert.deepEqual(closed, ['all'])
})

test('a server that answers after the stop of the node is closed', async () => {
  const closed: string[] = []
  const server = new LateServer(1)
  await server.close()
  await server.open(preparedOf(closed))
  assert.deepEqual([closed, server.isOpen], [['all'], false])
})

test('only what may pass counts as away', () => {
  const cause = new Error('connect ECONNREFUSED')
  assert.equal(isAway(new OperatorError('ClickHouse cannot be reached', { cause })), true)
  assert.equal(isAway(new DomainError('storage_unavailable', 'It does not answer.')), true)
  const refusal = new ServerError(WRONG_PASSWORD)
  assert.equal(isAway(new OperatorError('refused', { cause: refusal })), false)
  assert.equal(isAway(new OperatorError('too old')), false)
  assert.equal(isAway(new TypeError('a fault of this program')), false)
})
