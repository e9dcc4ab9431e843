import assert from 'node:assert/strict'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import type { ContractChecker } from './contract-checker.ts'

const NOWHERE = '/v1/clusters/clu_01h2xcejqtf2nbrexx3vqjhp41'
const NO_JOB = '/v1/clusters/discover/job_01h2xcejqtf2nbrexx3vqjhp41'
const JSON_BODY = { 'content-type': 'application/json' }
const TOPICS = ['refund my order please', 'what is the weather like tomorrow', 'translate this into french for me']

/** Every answer of the operations on clusters. The key of `stranger` has no scope for them. */
export async function callClusters(checker: ContractChecker, client: Client, stranger: Client): Promise<void> {
  const send = async (
    method: string,
    path: string,
    body: object | string,
    headers: Record<string, string> = JSON_BODY,
  ) => checker.call(client, { method, path, headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
  const get = async (path: string) => (await checker.call(client, { path })).status

  for (let index = 0; index < 30; index++) {
    const content = [{ type: 'text', text: `${TOPICS[index % 3]} ${index}` }]
    const steps = [{ name: 'answer', type: 'llm', messages: [{ role: 'user', content }] }]
    const made = await send('POST', '/v1/traces', { name: `run ${index}`, steps })
    assert.equal(made.status, 202, made.text)
  }
  const asked = await send('POST', '/v1/clusters/discover', { window_hours: 1, k_max: 4 })
  assert.equal(asked.status, 202, asked.text)
  const job = `/v1/clusters/discover/${asked.json<{ job_id: string }>().job_id}`
  await eventually('the discovery succeeds', async () => {
    const { status, error } = (await checker.call(client, { path: job })).json<{ status: string; error: unknown }>()
    assert.equal(error, null)
    return status === 'succeeded'
  })
  const filters = { name: 'run 1' }
  const selected = await send('POST', '/v1/clusters/discover', { filters })
  const { selection_id: selection } = selected.json<{ selection_id: string }>()
  const ofSelection = `/v1/clusters/selections/${selection}`
  assert.equal(await get('/v1/clusters/selections'), 200)
  const ofSets = ['', '/map', '/runs', '/discover'].map((at) => `/v1/clusters${at}?selection_id=`)
  for (const at of ofSets) assert.equal(await get(at + selection), 200, at)
  const remove = async (on = client) => (await checker.call(on, { method: 'DELETE', path: ofSelection })).status
  assert.equal(await remove(stranger), 403)
  assert.equal(await remove(client.as(null)), 401)
  assert.equal(await remove(), 204)
  assert.equal(await remove(), 404)
  for (const at of ofSets) assert.equal(await get(at + selection), 404, at)
  assert.equal((await send('POST', '/v1/clusters/discover', { filters: {} })).status, 422)
  const listed = await checker.call(client, { path: '/v1/clusters' })
  const [cluster] = listed.json<{ clusters: { id: string }[] }>().clusters
  assert.ok(cluster)
  const path = `/v1/clusters/${cluster.id}`
  const lists = ['/v1/clusters/runs', '/v1/clusters/discover']
  for (const at of [path, `${path}/patterns`, ...lists, '/v1/clusters/map', '/v1/clusters/schedule'])
    assert.equal(await get(at), 200, at)
  const inside = await checker.call(client, { path: `/v1/traces?cluster=${cluster.id}&limit=1` })
  assert.equal(inside.status, 200)
  const [member] = inside.json<{ traces: { id: string }[] }>().traces
  const ofTrace = await checker.call(client, { path: `/v1/clusters?trace_id=${member?.id}` })
  assert.deepEqual(
    ofTrace.json<{ clusters: { id: string }[] }>().clusters.map(({ id }) => id),
    [cluster.id],
  )
  assert.equal(await get('/v1/clusters?trace_id=tr_01h2xcejqtf2nbrexx3vqjhp41'), 404)
  for (const at of [NOWHERE, `${NOWHERE}/patterns`, NO_JOB]) assert.equal(await get(at), 404)
  for (const at of ['/v1/clusters', '/v1/clusters/schedule']) {
    assert.equal(await get(`${at}?kind=failures`), 200)
    assert.equal(await get(`${at}?kind=x`), 422)
  }
  for (const at of ['/v1/clusters/map?limit=0', `${path}/patterns?limit=0`]) assert.equal(await get(at), 422)
  for (const at of lists) for (const page of ['limit=0', 'cursor=x']) assert.equal(await get(`${at}?${page}`), 422)
  assert.equal((await send('PUT', '/v1/clusters/schedule', { enabled: true, every_hours: 48 })).status, 200)
  assert.equal((await send('PUT', '/v1/clusters/schedule', { enabled: false })).status, 200)
  for (const label of ['renamed', null]) assert.equal((await send('PATCH', path, { label })).status, 200)
  assert.equal((await send('PATCH', NOWHERE, { label: 'renamed' })).status, 404)
  assert.equal((await send('PATCH', path, { label: ' ' })).status, 422)
  assert.equal((await send('POST', '/v1/clusters/discover', { failure_by: 'metric:none' })).status, 422)
  for (const [method, at] of [
    ['PATCH', path],
    ['POST', '/v1/clusters/discover'],
    ['PUT', '/v1/clusters/schedule'],
  ] as const) {
    assert.equal((await send(method, at, '{')).status, 400)
    assert.equal((await send(method, at, '{}', { 'content-type': 'text/plain' })).status, 415)
    assert.equal((await send(method, at, ' '.repeat(2 * 1024 * 1024))).status, 413)
    assert.equal((await send(method, at, { enabled: true, k_min: 6, k_max: 5 })).status, 422)
  }
  for (const [method, at] of [
    ['GET', '/v1/clusters'],
    ['GET', `${NOWHERE}/patterns`],
    ['GET', path],
    ['PATCH', path],
    ['POST', '/v1/clusters/discover'],
    ['GET', '/v1/clusters/discover'],
    ['GET', job],
    ['GET', '/v1/clusters/map'],
    ['GET', '/v1/clusters/selections'],
    ['GET', '/v1/clusters/runs'],
    ['GET', '/v1/clusters/schedule'],
    ['PUT', '/v1/clusters/schedule'],
  ] as const) {
    assert.equal((await checker.call(client.as(null), { method, path: at })).status, 401)
    assert.equal((await checker.call(stranger, { method, path: at })).status, 403)
  }
}
