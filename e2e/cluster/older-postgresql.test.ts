import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query } from '../../packages/server/src/storage/sql/postgresql/test-postgresql.test-support.ts'
import { runSpoor } from '../lib/command.ts'
import { startClusterParts } from '../lib/cluster/parts.ts'
import { Service } from '../lib/service.ts'

const NO_FOLDER = '/dev/null/no-folder'

test('PostgreSQL is restored, ClickHouse is not: no node starts, and doctor says so', async (context) => {
  const parts = await startClusterParts()
  if (typeof parts === 'string') return context.skip(parts)
  await using cluster = parts
  const { environment } = cluster
  await using node = await Service.start({ dataDir: NO_FOLDER, environment })
  const commitSettled = async () => {
    assert.equal((await node.client.postTrace({ name: 'one', steps: [] })).status, 202)
    assert.equal((await node.client.get('/v1/traces/series?bucket=5200w&measure=count')).status, 200)
  }
  await commitSettled()
  await node.stop()
  const { url } = cluster.postgresql
  await query(url.replace(/[^/]+$/, 'template1'), 'CREATE DATABASE backup TEMPLATE postgres')
  await node.start()
  await commitSettled()
  await node.stop()
  const restored = {
    ...environment,
    SPOOR_POSTGRES_URL: (environment['SPOOR_POSTGRES_URL'] ?? '').replace(/[^/]+$/, 'backup'),
  }
  const start = await runSpoor(NO_FOLDER, ['serve', '--port', '0'], restored)
  assert.deepEqual([start.code, start.out], [1, ''])
  assert.match(start.error, /^PostgreSQL is older than ClickHouse: ClickHouse has commits through \d+, .*\n$/)
  const doctor = await runSpoor(NO_FOLDER, ['doctor'], restored)
  assert.equal(doctor.code, 1)
  assert.match(doctor.out, /^settling +WRONG .*\n {2}- PostgreSQL is older than ClickHouse: /m)
  await node.start()
})
