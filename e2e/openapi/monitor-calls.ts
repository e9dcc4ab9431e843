import assert from 'node:assert/strict'
import type { Client } from '../lib/client.ts'
import type { ContractChecker } from './contract-checker.ts'

const MONITOR = {
  name: 'errors',
  source: { kind: 'traces', measure: 'error_rate' },
  filters: { status: 'error', metadata: { env: 'prod' } },
  aggregation: 'avg',
  window_seconds: 60,
  comparison: 'gt',
  threshold: 0.5,
}
const UNDEFINED = { source: { kind: 'metric', metric: 'nowhere' } }
const NOWHERE = '/v1/monitors/mon_01h2xcejqtf2nbrexx3vqjhp41'
const JSON_BODY = { 'content-type': 'application/json' }

/** Every answer of the operations on monitors. The key of `stranger` has no scope for them. */
export async function callMonitors(checker: ContractChecker, client: Client, stranger: Client): Promise<void> {
  const send = async (
    method: string,
    path: string,
    body: object | string,
    headers: Record<string, string> = JSON_BODY,
  ) => checker.call(client, { method, path, headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
  const get = async (path: string) => (await checker.call(client, { path })).status

  const made = await send('POST', '/v1/monitors', MONITOR)
  assert.equal(made.status, 201, made.text)
  const path = `/v1/monitors/${made.json<{ id: string }>().id}`
  assert.equal((await send('PATCH', path, { threshold: 0.4 })).status, 200)
  await send('POST', '/v1/monitors/preview', MONITOR)
  for (const [method, at] of [
    ['POST', '/v1/monitors'],
    ['POST', '/v1/monitors/preview'],
    ['PATCH', path],
  ] as const) {
    assert.equal((await send(method, at, '{')).status, 400)
    assert.equal((await send(method, at, '{}', { 'content-type': 'text/plain' })).status, 415)
    assert.equal((await send(method, at, ' '.repeat(2 * 1024 * 1024))).status, 413)
    assert.equal((await send(method, at, { ...MONITOR, threshold: 2 })).status, 422)
    assert.equal((await send(method, at, { ...MONITOR, ...UNDEFINED, filters: {} })).status, 422)
  }
  assert.equal((await send('PATCH', NOWHERE, { threshold: 0.4 })).status, 404)
  for (const at of ['/v1/monitors', path, `${path}/history`]) assert.equal(await get(at), 200)
  for (const at of [NOWHERE, `${NOWHERE}/history`]) assert.equal(await get(at), 404)
  for (const at of ['/v1/monitors', `${path}/history`]) assert.equal(await get(`${at}?limit=0`), 422)
  for (const [method, at] of [
    ['POST', '/v1/monitors'],
    ['GET', '/v1/monitors'],
    ['GET', path],
    ['PATCH', path],
    ['DELETE', path],
    ['GET', `${path}/history`],
    ['POST', '/v1/monitors/preview'],
  ] as const) {
    assert.equal((await checker.call(client.as(null), { method, path: at })).status, 401)
    assert.equal((await checker.call(stranger, { method, path: at })).status, 403)
  }
  const remove = async () => (await checker.call(client, { method: 'DELETE', path })).status
  assert.deepEqual([await remove(), await remove()], [204, 404])
}
