import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceFacets } from '@spoor/contract/schemas/traces/trace-facets'
import type { TraceSessionDetail, TraceSessionList } from '@spoor/contract/schemas/traces/trace-summary'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'

const HOSTILE = `it's "a"/%2F?#\n 東京 ${'x'.repeat(200)}`

test('a trace is in its session at once, and a deleted one is not; every suggested value finds its traces', async () => {
  await using service = await Service.start()
  const { client } = service
  const facets = async (field: string) =>
    (await client.get(`/v1/traces/facets?field=${encodeURIComponent(field)}`)).json<TraceFacets>()
  const bodies = [
    { name: "it's", session_id: 's 1', metadata: { env: 'prod', 'a.b': { c: ['x', null] } }, steps: [{ name: 'a' }] },
    { name: 'Überprüfung', user_id: 'ü', metadata: { env: '1', n: 1 }, steps: [{ name: 'a', model: 'o"3' }] },
    { name: "it's", run_type: 'eval', metadata: { env: 1, 'q"k': '"quoted"' }, steps: [{ name: 'a', model: 'm' }] },
    { name: 'gone', metadata: { gone: true } },
  ]
  const ids: string[] = []
  for (const body of bodies) ids.push((await client.postTrace(body)).json<{ id: string }>().id)
  assert.equal((await client.call({ method: 'DELETE', path: `/v1/traces/${ids.at(-1)}` })).status, 204)
  const settled = async () => {
    const { values } = await facets('name')
    return values.length === 2 && values[0]?.count === 2
  }
  await eventually('the deleted trace is not counted', settled)

  const trace = { name: 'spoken', session_id: HOSTILE, user_id: HOSTILE, steps: [{ name: 'a', type: 'tool' }] }
  const last = { id: '' }
  for (let count = 1; count <= 3; count++) {
    Object.assign(last, (await client.postTrace(trace)).json<{ id: string }>())
    const { sessions } = (await client.get('/v1/sessions')).json<TraceSessionList>()
    assert.deepEqual([sessions.length, sessions[0]?.session_id, sessions[0]?.trace_count], [2, HOSTILE, count])
  }
  await client.append(last.id, `${JSON.stringify({ name: 'b', type: 'tool' })}\n`)
  const read = (await client.get(`/v1/sessions/${encodeURIComponent(HOSTILE)}`)).json<TraceSessionDetail>()
  assert.deepEqual([read.session.step_count, read.session.user_ids], [4, [HOSTILE]])
  assert.deepEqual(
    read.traces.map(({ id }) => id),
    read.traces.map(({ id }) => id).toSorted(),
  )
  for (const { id } of read.traces) await client.call({ method: 'DELETE', path: `/v1/traces/${id}` })
  assert.equal((await client.get(`/v1/users/${encodeURIComponent(HOSTILE)}`)).status, 404)

  const keys = await facets('metadata')
  assert.deepEqual(keys.values.map(({ value }) => value).toSorted(), ['a.b', 'env', 'n', 'q"k'])
  const filters = [
    ...['name', 'model', 'run_type', 'user_id', 'session_id'].map((field) => [field, { [field]: '' }] as const),
    ...keys.values.map(({ value: key }) => [`metadata.${key}`, { meta_key: key, meta_value: '' }] as const),
  ]
  for (const [field, filter] of filters) {
    const { values, complete } = await facets(field)
    assert.ok(complete && values.length > 0, field)
    for (const { value, count } of values) {
      const query = new URLSearchParams({ ...filter, [Object.keys(filter).at(-1) as string]: value })
      const { traces } = (await client.get(`/v1/traces?${query.toString()}`)).json<TraceFeed>()
      // A filter by 1 finds the string and the number.
      assert.equal(traces.length, field === 'metadata.env' && value === '1' ? 2 : count, `${field} ${value}`)
    }
  }
})
