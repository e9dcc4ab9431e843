import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../lib/client.ts'
import { Service } from '../lib/service.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

/** What lists, steps, facets and series show of one trace. */
async function shown(client: Client, id: string): Promise<readonly unknown[]> {
  const texts = [
    '/v1/traces',
    `/v1/traces/${id}`,
    '/v1/steps',
    '/v1/steps/facets?field=step_name',
    '/v1/steps/series?measure=count&bucket=1w',
    '/v1/traces/series?measure=metric.score&bucket=1w',
    '/v1/metrics/score/series?bucket=1w',
  ]
  const answers = await Promise.all(texts.map((path) => client.get(path)))
  const times = new Set(['start_time', 'end_time', 'request_id', 'updated_at'])
  return answers.map(({ text }) => JSON.parse(text, (key, value: unknown) => (times.has(key) ? undefined : value)))
}

test('a deleted trace is gone everywhere and comes back whole when it is restored, also after a kill', async () => {
  await using service = await Service.start()
  const post = async (path: string, body: object, status: number) => {
    const answer = await service.client.call({ method: 'POST', path, headers: JSON_TYPE, body: JSON.stringify(body) })
    assert.equal(answer.status, status, answer.text)
    return answer.json<{ id: string }>()
  }
  await post('/v1/metrics', { name: 'score', kind: 'numeric' }, 201)
  const { id } = await post('/v1/traces', { name: 'a', user_id: 'u', steps: [{ name: 's', model: 'gpt-4o' }] }, 202)
  await post('/v1/metrics/events', { name: 'score', trace_id: id, value: 3 }, 201)
  const before = await shown(service.client, id)
  const remove = (query: string) => service.client.call({ method: 'DELETE', path: `/v1/traces/${id}${query}` })
  const restore = () => service.client.call({ method: 'POST', path: `/v1/traces/${id}/restore` })
  assert.equal((await remove('?grace_seconds=3600')).status, 204)
  const gone = await shown(service.client, id)
  assert.equal((gone[1] as { status: number }).status, 404)
  assert.ok(gone.every((answer, at) => at === 1 || !JSON.stringify(answer).includes(id)))
  assert.deepEqual((gone[4] as { points: unknown[] }).points, [])

  await service.kill()
  await service.start()
  assert.equal((await restore()).status, 200)
  assert.deepEqual(await shown(service.client, id), before)
  assert.equal((await restore()).status, 404)

  assert.equal((await remove('')).status, 204)
  assert.equal((await restore()).status, 404)

  // Lists remember where only deleted traces lie, but only of those that cannot come back.
  const ids: string[] = []
  for (let count = 0; count < 60; count++) ids.push((await post('/v1/traces', { name: 'b' }, 202)).id)
  const listed = async () =>
    (await service.client.get('/v1/traces?limit=200')).json<{ traces: { id: string }[] }>().traces.length
  const late = ids.slice(10)
  const path = (one: string) => `/v1/traces/${one}`
  await Promise.all(
    late.map((one) => service.client.call({ method: 'DELETE', path: `${path(one)}?grace_seconds=600` })),
  )
  assert.equal(await listed(), 10)
  await Promise.all(late.map((one) => service.client.call({ method: 'POST', path: `${path(one)}/restore` })))
  assert.equal(await listed(), 60)
})
