import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { startClusterParts } from '../lib/cluster/parts.ts'
import { runSpoor } from '../lib/command.ts'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'

const NO_FOLDER = '/dev/null/no-folder'
const servers = await startClusterParts()
const skip = typeof servers === 'string' ? servers : false

test('a synchronous standby: commits wait for it, and as the new primary it has all of them', { skip }, async () => {
  assert.ok(typeof servers !== 'string')
  await using parts = servers
  const primary = parts.postgresql
  await using stack = new AsyncDisposableStack()
  const standby = await primary.addStandby('standby_1')
  stack.defer(() => standby.stop())
  const hosts = [primary, standby].map(({ url }) => new URL(url).host).join()
  const environment = {
    ...parts.environment,
    SPOOR_POSTGRES_URL: primary.url.replace(new URL(primary.url).host, hosts),
  }
  const doctor = async () => (await runSpoor(NO_FOLDER, ['doctor'], environment)).out
  const node = stack.use(await Service.start({ environment }))
  const post = async (name: string) => (await node.client.postTrace({ name })).status
  const names = async () =>
    (await node.client.get('/v1/traces')).json<{ traces: { name: string }[] }>().traces.map(({ name }) => name)
  assert.equal(await post('while asynchronous'), 202)
  assert.match(await doctor(), /^replication +ok .*standby_1 streaming, async, .*may lose acknowledged traces$/m)
  await run(primary.url, `ALTER SYSTEM SET synchronous_standby_names = 'standby_1'`, 'SELECT pg_reload_conf()')
  await eventually('it is synchronous', async () => /standby_1 streaming, sync, /.test(await doctor()))
  assert.equal(await post('while synchronous'), 202)

  await standby.shutDown()
  const waiting = post('without the standby')
  assert.match(await doctor(), /^replication +WRONG {2}no standby is connected\n {2}- Commits wait: /m)
  await standby.start()
  assert.equal(await waiting, 202)

  await primary.kill()
  await run(standby.url, `ALTER SYSTEM SET synchronous_standby_names = ''`, 'SELECT pg_promote()')
  await eventually('the new primary takes commits', async () => (await post('after the failover')) === 202)
  assert.deepEqual(await names(), [
    'after the failover',
    'without the standby',
    'while synchronous',
    'while asynchronous',
  ])
  assert.match(await doctor(), /^replication +ok {2}no standby is connected$/m)
})

async function run(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}
