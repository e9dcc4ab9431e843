import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceFacets } from '@spoor/contract/schemas/traces/trace-facets'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import { eventually } from '../lib/eventually.ts'
import { Service } from '../lib/service.ts'

test('every suggested value finds as many traces as its count says', async () => {
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
