import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../lib/client.ts'
import { clockBehind } from '../lib/clock-behind.ts'
import { eventually } from '../lib/eventually.ts'
import { serve, upload } from '../lib/media/media.ts'
import { Service } from '../lib/service.ts'

const MARKER = 'zqxjkvexpired'

interface Point {
  readonly count: number
  readonly sum: number
}

async function send(client: Client, method: string, path: string, body: object): Promise<{ id: string }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await client.call({ method, path, headers, body: JSON.stringify(body) })
  assert.ok(answer.status < 300, answer.text)
  return answer.json<{ id: string }>()
}

async function add(client: Client, name: string): Promise<string> {
  const messages = [{ role: 'user', content: [{ type: 'text', text: `${MARKER} in ${name}.` }] }]
  const { id } = await send(client, 'POST', '/v1/traces', {
    name,
    metadata: { of: MARKER },
    steps: [{ name: 's', messages }],
  })
  await send(client, 'POST', '/v1/metrics/events', { name: 'reward', trace_id: id, value: 2, comment: MARKER })
  return id
}

async function namesOf(client: Client): Promise<string[]> {
  const { traces } = (await client.get('/v1/traces')).json<{ traces: { name: string }[] }>()
  return traces.map(({ name }) => name).sort()
}

async function totals(client: Client): Promise<Point> {
  const path = '/v1/metrics/reward/series?bucket=1d&start_time=2020-01-01'
  const { points } = (await client.get(path)).json<{ points: { count: number; avg: number }[] }>()
  return points.reduce<Point>((all, { count, avg }) => ({ count: all.count + count, sum: all.sum + count * avg }), {
    count: 0,
    sum: 0,
  })
}

test('retention deletes old traces and media, keeps flagged ones and the sums of metrics', async () => {
  await using past = await Service.start({ environment: clockBehind(40) })
  await send(past.client, 'POST', '/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 10 })
  await add(past.client, 'old')
  const flagged = await add(past.client, 'old and flagged')
  await send(past.client, 'PATCH', `/v1/traces/${flagged}`, { flagged: true })
  const { uri } = await upload(past.client, { trace_id: flagged, kind: 'file' }, { content: 'a b c', filename: 'f' })
  await past.stop()
  await using service = await Service.start({
    dataDir: past.dataDir,
    environment: { SPOOR_BOOTSTRAP_KEY: past.key },
  })
  const { client } = service
  await add(client, 'new')
  const [project] = (await client.get('/v1/projects')).json<{ projects: { id: string; retention: object }[] }>()
    .projects
  assert.deepEqual(project?.retention, { days: null, flagged_days: null, media_days: null })
  const expired = await client.get(`/v1/projects/${project.id}/expired?days=30&flagged_days=39&media_days=7`)
  assert.deepEqual(expired.json(), { traces: 1, flagged_traces: 1, attachments: 1 })
  const before = await totals(client)
  assert.deepEqual(before, { count: 3, sum: 6 })
  await send(client, 'PATCH', `/v1/projects/${project.id}`, {
    retention: { days: 30, flagged_days: 365, media_days: 7 },
  })
  await eventually('the old trace is deleted', async () => (await namesOf(client)).length === 2)
  assert.deepEqual(await namesOf(client), ['new', 'old and flagged'])
  assert.deepEqual(await totals(client), before)
  await eventually('the medium is gone', async () => (await serve(client, uri)).status === 404)
  const recorded = async () =>
    (await client.get('/v1/audit?action=traces.deleted')).json<{
      entries: { actor: object; target: { kind: string }; detail: { total?: number; attachments?: number } }[]
    }>().entries
  await eventually('traces and media are recorded', async () => (await recorded()).length > 1)
  const system = { kind: 'system', id: null, name: null }
  // Both have rounds of their own.
  assert.deepEqual(
    (await recorded())
      .map(({ actor, target, detail }) => [actor, target.kind, detail.total, detail.attachments])
      .toSorted(([, a], [, b]) => (String(a) < String(b) ? -1 : 1)),
    [
      [system, 'job', 1, undefined],
      [system, 'project', undefined, 1],
    ],
  )
  // A start purges deleted traces at once. When their bytes have left the disk is tested in deletion.test.ts.
  await service.stop()
  await service.start()
  await eventually('the old trace is purged', async () =>
    /^spoor_deleted_traces_pending\S* 0$/m.test((await service.client.get('/metrics')).text),
  )
  assert.deepEqual(await totals(service.client), before)
  const { events } = (await service.client.get('/v1/metrics/events?name=reward')).json<{ events: object[] }>()
  assert.equal(events.length, 2)
})
