import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openChdbEngine } from '../../packages/server/src/storage/clickhouse/engine/chdb-engine.ts'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import { filesHolding } from '../lib/files-holding.ts'
import { upload } from '../lib/media/media.ts'
import { Service } from '../lib/service.ts'

/** In every field that a client fills in. */
const MARKER = 'zqxjkvmarker'

test('after a deletion no byte of the trace remains in the data directory, even if nothing else happens', async () => {
  await using service = await Service.start({ environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8' } })
  const { client, dataDir } = service
  // Nobody listens there, so deliveries stay pending.
  const events = ['trace.committed', 'trace.flagged', 'metric.event']
  const [project] = (await client.get('/v1/projects')).json<{ projects: { id: string }[] }>().projects
  const webhooks = `/v1/projects/${project?.id}/webhooks`
  const hook = await send(client, 'POST', webhooks, { url: 'http://127.0.0.1:9/', events }, 201)
  await send(client, 'POST', '/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 1 }, 201)
  const traceId = await makeMarked(client)
  await eventually(
    'deliveries are made',
    async () => (await deliveriesOf(client, `${webhooks}/${hook.id}`)).length >= 3,
  )
  assert.ok(filesHolding(dataDir, MARKER).length > 0)
  const deleted = await client.call({ method: 'DELETE', path: `/v1/traces/${traceId}` })
  assert.equal(deleted.status, 204, deleted.text)
  // A start removes deleted traces at once, without waiting for more.
  await service.stop()
  await service.start()
  await eventually('no file holds the marker', () => filesHolding(dataDir, MARKER).length === 0)
  const deliveries = await deliveriesOf(service.client, `${webhooks}/${hook.id}`)
  assert.deepEqual([...new Set(deliveries.map(({ reason }) => reason))], ['trace_deleted'])
  await service.stop()
  const engine = openChdbEngine({ directory: join(dataDir, 'telemetry'), memoryBytes: 400 * 1024 * 1024, readers: 1 })
  try {
    for (const table of ['traces', 'steps', 'metric_events', 'metric_points']) {
      const rows = await engine.select(`SELECT count() FROM ${table} SETTINGS apply_deleted_mask = 0`)
      assert.deepEqual(rows, [[0]], table)
    }
    const parts = await engine.select(
      "SELECT table, name FROM system.parts WHERE database = 'spoor' AND active AND rows > 0 AND table IN ('traces', 'steps', 'metric_events', 'metric_points')",
    )
    assert.deepEqual(parts, [])
  } finally {
    await engine.close()
  }
})

async function makeMarked(client: Client): Promise<string> {
  const messages = [{ role: 'user', content: [{ type: 'text', text: `${MARKER} message` }] }]
  const steps = [
    { name: `${MARKER} step`, idempotency_key: `${MARKER} step`, messages, metadata: { [MARKER]: MARKER } },
  ]
  const body = { name: `${MARKER} name`, metadata: { a: `${MARKER} meta` }, session_id: `${MARKER} session`, steps }
  const made = await client.postTrace(body, { 'idempotency-key': `${MARKER} key` })
  assert.equal(made.status, 202, made.text)
  const { id } = made.json<{ id: string }>()
  await send(client, 'PATCH', `/v1/traces/${id}`, { flagged: true, reason: `${MARKER} reason` }, 200)
  const event = { name: 'reward', trace_id: id, value: 1, comment: `${MARKER} comment`, idempotency_key: MARKER }
  await send(client, 'POST', '/v1/metrics/events', event, 201)
  await upload(client, { trace_id: id, kind: 'file' }, { content: `${MARKER} bytes`, filename: `${MARKER}.log` })
  return id
}

async function send(
  client: Client,
  method: string,
  path: string,
  body: object,
  status: number,
): Promise<{ id: string }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await client.call({ method, path, headers, body: JSON.stringify(body) })
  assert.equal(answer.status, status, answer.text)
  return answer.json<{ id: string }>()
}

async function deliveriesOf(client: Client, path: string): Promise<{ reason: string | null }[]> {
  const answer = await client.get(`${path}/deliveries`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<{ deliveries: { reason: string | null }[] }>().deliveries
}
