import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { query } from '../../packages/server/src/storage/sql/postgresql/test-postgresql.test-support.ts'
import { askServer } from '../lib/clickhouse/ask-server.ts'
import { type ClusterParts, startClusterParts } from '../lib/cluster/parts.ts'
import { runSpoor } from '../lib/command.ts'
import { upload } from '../lib/media/media.ts'
import { Service } from '../lib/service.ts'

const NO_FOLDER = '/dev/null/no-folder'
const TABLES = ['traces', 'steps', 'metric_events', 'metric_points', 'settled_batches', 'schema_versions']

const servers = await startClusterParts()
if (typeof servers === 'string') test('a store of an earlier moment', { skip: servers }, () => undefined)
else {
  after(() => servers[Symbol.asyncDispose]())
  await testRestores(servers)
}

async function testRestores({ environment, postgresql, clickhouse, s3 }: ClusterParts): Promise<void> {
  await using node = await Service.start({ dataDir: NO_FOLDER, environment })
  const commitSettled = async (service: Service, name: string): Promise<string> => {
    const answer = await service.client.postTrace({ name, steps: [{ type: 'tool', name: 'one' }] })
    assert.equal(answer.status, 202, answer.text)
    assert.equal((await service.client.get('/v1/traces/series?bucket=5200w&measure=count')).status, 200)
    return answer.json<{ id: string }>().id
  }
  const early = await commitSettled(node, 'early')
  await node.stop()
  await query(postgresql.url.replace(/[^/]+$/, 'template1'), 'CREATE DATABASE backup TEMPLATE postgres')
  await copyClickHouse('spoor', 'backup')
  await node.start()
  const late = await commitSettled(node, 'late')
  await upload(node.client, { trace_id: late, kind: 'file' }, { content: 'media' })
  await node.stop()
  await query(postgresql.url, 'UPDATE settled_marks SET settled_at = settled_at - 60000')

  async function copyClickHouse(from: string, to: string): Promise<void> {
    await askServer(clickhouse, `CREATE DATABASE ${to}`)
    for (const table of TABLES) {
      await askServer(clickhouse, `CREATE TABLE ${to}.${table} AS ${from}.${table}`)
      await askServer(clickhouse, `INSERT INTO ${to}.${table} SELECT * FROM ${from}.${table}`)
    }
  }
  const spoor = (args: readonly string[], settings: Readonly<Record<string, string>>) =>
    runSpoor(NO_FOLDER, args, { ...environment, ...settings })
  const statusOf = async (service: Service, id: string) => (await service.client.get(`/v1/traces/${id}`)).status

  test('PostgreSQL: no node starts, doctor and recover say why; ClickHouse is kept', async () => {
    const restored = { SPOOR_POSTGRES_URL: (environment['SPOOR_POSTGRES_URL'] ?? '').replace(/[^/]+$/, 'backup') }
    await copyClickHouse('spoor', 'later')
    const settings = { ...restored, SPOOR_CLICKHOUSE_DATABASE: 'later' }
    const start = await spoor(['serve', '--port', '0'], settings)
    assert.deepEqual([start.code, start.out], [1, ''])
    assert.match(start.error, /^PostgreSQL is older than ClickHouse: ClickHouse has commits through \d+, .*\n$/)
    const doctor = await spoor(['doctor'], settings)
    assert.equal(doctor.code, 1)
    assert.match(doctor.out, /^settling +WRONG .*\n {2}- PostgreSQL is older than ClickHouse: /m)
    const found = await spoor(['recover'], settings)
    assert.equal(found.code, 1, found.error)
    assert.match(found.out, /^--keep clickhouse .* continues after commit \d+\..*\n--keep postgresql .* 1 traces/m)
    const done = await spoor(['recover', '--keep', 'clickhouse'], settings)
    assert.deepEqual([done.code, done.error], [0, ''])
    await using recovered = await Service.start({ dataDir: NO_FOLDER, environment: { ...environment, ...settings } })
    await commitSettled(recovered, 'new')
    for (const id of [early, late]) assert.equal(await statusOf(recovered, id), 200)
    await recovered.stop()
    assert.doesNotMatch((await spoor(['doctor'], settings)).out, /^(settling|s3) +WRONG/m)
    // The bucket is of the recovered store now.
    const unrecovered = await spoor(['serve', '--port', '0'], {})
    assert.match(unrecovered.error, /^PostgreSQL is older than the bucket: it is of timeline 1, before a recovery/)
    assert.equal((await spoor(['recover', '--keep', 'postgresql'], {})).code, 0)
  })

  test('ClickHouse: doctor and recover say why; PostgreSQL is kept', async () => {
    const settings = { SPOOR_CLICKHOUSE_DATABASE: 'backup' }
    const doctor = await spoor(['doctor'], settings)
    assert.match(doctor.out, /^settling +WRONG .*\n {2}- ClickHouse is older than PostgreSQL: /m)
    assert.equal((await spoor(['recover', '--keep', 'clickhouse'], settings)).code, 2)
    const done = await spoor(['recover', '--keep', 'postgresql'], settings)
    assert.equal(done.code, 0, done.error)
    assert.match(done.out, /commits to ClickHouse again\. Nothing is lost\.\nDone\./)
    await using recovered = await Service.start({ dataDir: NO_FOLDER, environment: { ...environment, ...settings } })
    await commitSettled(recovered, 'new')
    for (const id of [early, late]) assert.equal(await statusOf(recovered, id), 200)
    await recovered.stop()
  })

  test('the bucket: an empty one, or another store’s, is refused', async () => {
    await s3.createBucket('other')
    const settings = { SPOOR_CLICKHOUSE_DATABASE: 'backup', SPOOR_S3_BUCKET: 'other' }
    const empty = await spoor(['serve', '--port', '0'], settings)
    assert.match(empty.error, /^The bucket is not that of this store, or was emptied/)
    const doctor = await spoor(['doctor'], settings)
    assert.match(doctor.out, /^s3 +WRONG .*\n {2}- The bucket is not that of this store/m)
    await query(postgresql.url, 'CREATE DATABASE second')
    const second = { SPOOR_POSTGRES_URL: (environment['SPOOR_POSTGRES_URL'] ?? '').replace(/[^/]+$/, 'second') }
    const foreign = await spoor(['serve', '--port', '0'], { ...second, SPOOR_CLICKHOUSE_DATABASE: 'second' })
    assert.match(foreign.error, /^The bucket belongs to another store, \w+: PostgreSQL has the log of \w+/)
    const accepted = await spoor(['recover', '--keep', 'postgresql'], settings)
    assert.equal(accepted.code, 0, accepted.error)
    assert.match((await spoor(['doctor'], settings)).out, /of the newest 1 media, it lacks 1/)
  })
}
