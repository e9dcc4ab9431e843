import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openChdbEngine } from '../../packages/server/src/storage/clickhouse/engine/chdb-engine.ts'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'

const SEARCHES = [
  '/v1/traces?meta_key=env&meta_value=prod',
  '/v1/traces?q=unusual',
  '/v1/metrics/events?name=solved&meta_key=judge',
]

test('rows of earlier search rules are found again after the start, despite kills, and never missed silently', async () => {
  await using service = await Service.start()
  const post = async (path: string, body: object) =>
    service.client.call({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/v1/metrics', { name: 'solved', kind: 'boolean' })
  for (let n = 0; n < 20; n++) {
    const content = [{ type: 'text', text: `an unusual text ${n}` }]
    const steps = [{ name: 'ask', messages: [{ role: 'user', content }] }]
    const made = await service.client.postTrace({ name: `trace ${n}`, metadata: { env: 'prod' }, steps })
    const trace_id = made.json<{ id: string }>().id
    await post('/v1/metrics/events', { name: 'solved', trace_id, passed: true, metadata: { judge: n } })
  }
  await service.stop()

  const engine = openChdbEngine({ directory: join(service.dataDir, 'telemetry'), memoryBytes: 4e8, readers: 1 })
  const all = 'WHERE 1 SETTINGS mutations_sync = 2'
  await engine.command(`ALTER TABLE traces UPDATE terms = [], term_rules = 0 ${all}`)
  await engine.command(`ALTER TABLE metric_points UPDATE terms = [], term_rules = 0 ${all}`)
  await engine.command(`ALTER TABLE steps UPDATE text = '', text_rules = 0 ${all}`)
  await engine.close()

  const statuses = async () => {
    const answers = await Promise.all(SEARCHES.map((path) => service.client.get(path)))
    for (const { status, text, json } of answers) {
      if (status === 200) assert.equal(Object.values(json<Record<string, readonly unknown[]>>())[0]?.length, 20, text)
      else assert.equal(json<{ code: string }>().code, 'storage_unavailable', text)
    }
    return answers.map(({ status }) => status)
  }
  for (let kills = 0; kills < 3; kills++) {
    await service.start()
    await statuses()
    await service.kill()
  }
  await service.start()
  await eventually('all is found', async () => (await statuses()).every((status) => status === 200))
  assert.equal((await service.client.get('/readyz')).status, 200)
  assert.match(service.log, /rewriting rows that were stored by earlier search rules/)
  await service.stop()
})
