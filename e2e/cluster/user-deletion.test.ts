import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Job } from '@spoor/contract/schemas/deletion'
import { TestBucket } from '../../packages/server/src/storage/blobs/s3/s3-bucket.test-support.ts'
import { query } from '../../packages/server/src/storage/sql/postgresql/test-postgresql.test-support.ts'
import { askServer } from '../lib/clickhouse/ask-server.ts'
import { type ClusterParts, startClusterParts } from '../lib/cluster/parts.ts'
import { eventually } from '../lib/eventually.ts'
import { makeMarked, MARKER, send, USER } from '../lib/marked-trace.ts'
import { Service } from '../lib/service.ts'

const NO_FOLDER = '/dev/null/no-folder'

const servers = await startClusterParts()
if (typeof servers === 'string') test('the user of a cluster is deleted', { skip: servers }, () => undefined)
else {
  after(() => servers[Symbol.asyncDispose]())
  test('when the receipt says so, no database and no bucket has a text of a deleted user', () => deleteUser(servers))
}

async function deleteUser(parts: ClusterParts): Promise<void> {
  const environment = { ...parts.environment, SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8' }
  await using node = await Service.start({ dataDir: NO_FOLDER, environment })
  const { client } = node
  const [project] = (await client.get('/v1/projects')).json<{ projects: { id: string }[] }>().projects
  // Nobody listens there, so deliveries stay pending.
  const hook = { url: 'http://127.0.0.1:9/', events: ['trace.committed', 'trace.flagged', 'metric.event'] }
  await send(client, 'POST', `/v1/projects/${project?.id}/webhooks`, hook, 201)
  await send(client, 'POST', '/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 1 }, 201)
  await makeMarked(client)
  const kept = await client.postTrace({ name: 'kept', user_id: 'another', steps: [{ name: 'a' }] })
  // Shows that the search would find it.
  const everywhere = ['clickhouse metric_events', 'clickhouse steps', 'clickhouse traces', 'media']
  await eventually('all stores hold it', async () => {
    const holding = await placesHolding(parts, MARKER)
    return everywhere.every((place) => holding.includes(place)) && holding.some((place) => place.startsWith('postgres'))
  })

  const accepted = await client.call({ method: 'DELETE', path: `/v1/users/${USER}` })
  assert.equal(accepted.status, 202, accepted.text)
  const { job_id } = accepted.json<{ job_id: string }>()
  const job = async () => (await node.client.get(`/v1/jobs/${job_id}`)).json<Job>()
  await eventually('no read has it', async () => (await job()).result !== null)
  assert.equal((await job()).status, 'running')
  // A start removes deleted traces without waiting for more, once the log has not had them for ten minutes.
  await node.restart()
  await eventually('the receipt says that the data are gone', async () => {
    // A server without work looks for old parts every ten minutes; this has it look now.
    await askServer(parts.clickhouse, 'SYSTEM START MERGES')
    await query(parts.postgresql.url, 'UPDATE settled_marks SET settled_at = settled_at - 600000')
    return (await job()).status === 'succeeded'
  })
  assert.deepEqual(await placesHolding(parts, MARKER), [])
  assert.deepEqual(await placesHolding(parts, USER), ['postgresql audit_entries', 'postgresql deletion_jobs'])
  const { result } = await job()
  assert.deepEqual([result?.traces, result?.steps, result?.metric_events, result?.media], [1, 1, 1, 1])
  assert.equal((await node.client.get(`/v1/traces/${kept.json<{ id: string }>().id}`)).status, 200)
}

/** Tables with the text, also compressed payloads of the log that may have it, and `media` while there are any. */
async function placesHolding({ postgresql, clickhouse, s3 }: ClusterParts, text: string): Promise<string[]> {
  using bucket = TestBucket.of(s3, 'spoor')
  // No project has the id of the mark of the cluster.
  const media = (await bucket.content()).filter((key) => !key.startsWith('proj_0000'))
  const places = media.length > 0 ? ['media'] : []
  const tables = await askServer(
    clickhouse,
    "SELECT name FROM system.tables WHERE database = 'spoor' AND total_rows > 0",
  )
  for (const [table] of tables) {
    const holding = `SELECT count() FROM spoor.${String(table)} WHERE toString(tuple(*)) LIKE '%${text}%'`
    const [[count] = []] = await askServer(clickhouse, `${holding} SETTINGS apply_deleted_mask = 0`)
    if (count !== 0) places.push(`clickhouse ${String(table)}`)
  }
  const named = "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
  const hex = Buffer.from(text).toString('hex')
  for (const { name } of await query(postgresql.url, named)) {
    const holding = `row_to_json(one)::text LIKE '%${text}%' OR row_to_json(one)::text LIKE '%${hex}%'`
    const isHeld = `${holding}${name === 'commits' ? ' OR payload IS NOT NULL' : ''}`
    const [row] = await query(
      postgresql.url,
      `SELECT count(*)::int AS count FROM ${String(name)} AS one WHERE ${isHeld}`,
    )
    if (row?.['count'] !== 0) places.push(`postgresql ${String(name)}`)
  }
  return places.sort()
}
