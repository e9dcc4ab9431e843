import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '../lib/client.ts'
import { eventually } from '../lib/eventually.ts'
import type { ContractChecker } from './contract-checker.ts'

const JSON_BODY = { 'content-type': 'application/json' }
const NO_DELIVERY = 'dlv_01h2xcejqtf2nbrexx3vqjhp41'
const SINCE = { since: '2026-01-31' }

type Send = (method: string, path: string, body?: object | string, headers?: Record<string, string>) => Promise<number>

export interface WebhookCaller {
  readonly checker: ContractChecker
  readonly client: Client
  /** Its key has no scope for webhooks. */
  readonly stranger: Client
  readonly projectId: string
}

/** Every answer of the operations on webhooks and deliveries. The service must allow deliveries to 127.0.0.1. */
export async function callWebhooks({ checker, client, stranger, projectId }: WebhookCaller): Promise<void> {
  const receiver = createServer((request, response) =>
    request.resume().on('end', () => response.writeHead(500).end('no')),
  )
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const answerTo = (method: string, path: string, body?: object | string, headers?: Record<string, string>) => {
    if (body === undefined) return checker.call(client, { method, path })
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return checker.call(client, { method, path, headers: headers ?? JSON_BODY, body: text })
  }
  const send: Send = async (...call) => (await answerTo(...call)).status

  const root = `/v1/projects/${projectId}/webhooks`
  const made = await answerTo('POST', root, { url, events: ['cluster.created'] })
  assert.equal(made.status, 201, made.text)
  const path = `${root}/${made.json<{ id: string }>().id}`
  const own = { url, events: ['cluster.shifted'], description: 'd', secret: 'a secret of sixteen', enabled: false }
  assert.equal(await send('POST', root, own), 201)
  for (const at of [root, `${root}?limit=1`, path]) assert.equal(await send('GET', at), 200)
  for (const body of [{}, { secret: 'another secret of mine' }]) {
    assert.equal(await send('POST', `${path}/rotate-secret`, body), 200)
  }
  const delivery = await callDeliveries(answerTo, path)

  const withBody = [
    ['POST', root],
    ['PATCH', path],
    ['POST', `${path}/rotate-secret`],
    ['POST', `${path}/deliveries/redeliver-failed`],
  ] as const
  for (const [method, at] of withBody) {
    assert.equal(await send(method, at, '{'), 400)
    assert.equal(await send(method, at, '{}', { 'content-type': 'text/plain' }), 415)
    assert.equal(await send(method, at, ' '.repeat(2 * 1024 * 1024)), 413)
    assert.equal(await send(method, at, { evnets: [] }), 422)
  }
  for (const at of [`${root}?limit=0`, `${path}/deliveries?status=done`]) assert.equal(await send('GET', at), 422)

  assert.equal(await send('PATCH', path, { description: 'off', enabled: false }), 200)
  const whenEnabled: readonly [string, object?][] = [
    [`${path}/ping`],
    [`${delivery}/redeliver`],
    [`${path}/deliveries/redeliver-failed`, SINCE],
  ]
  for (const [at, body] of whenEnabled) assert.equal(await send('POST', at, body), 409)

  const operations: readonly [string, string, object?][] = [
    ['POST', root, own],
    ['GET', root],
    ['GET', path],
    ['PATCH', path, { description: 'x' }],
    ['DELETE', path],
    ['POST', `${path}/rotate-secret`, {}],
    ['POST', `${path}/ping`],
    ['GET', `${path}/deliveries`],
    ['GET', delivery],
    ['POST', `${delivery}/redeliver`],
    ['POST', `${path}/deliveries/redeliver-failed`, SINCE],
  ]
  const nowhere = 'proj_01h2xcejqtf2nbrexx3vqjhp41'
  for (const [method, at, body] of operations) {
    assert.equal((await checker.call(client.as(null), { method, path: at })).status, 401)
    assert.equal((await checker.call(stranger, { method, path: at })).status, 403)
    assert.equal(await send(method, at.replace(projectId, nowhere), body), 404)
  }
  assert.deepEqual([await send('DELETE', path), await send('DELETE', path)], [204, 404])
  await new Promise((resolve) => receiver.close(resolve))
}

/** Pings, waits for the result, and sends the delivery again. Returns the path of the delivery. */
async function callDeliveries(
  answerTo: (method: string, path: string, body?: object) => ReturnType<ContractChecker['call']>,
  path: string,
): Promise<string> {
  const pinged = await answerTo('POST', `${path}/ping`)
  assert.equal(pinged.status, 202, pinged.text)
  const delivery = `${path}/deliveries/${pinged.json<{ id: string }>().id}`
  const isFailed = async () => (await answerTo('GET', delivery)).json<{ status: string }>().status === 'failed'
  await eventually('the ping failed', isFailed)
  assert.match((await answerTo('GET', delivery)).text, /"status":500/)
  const filters = 'event=ping&status=failed&start_time=2026-01-31&limit=1'
  const list = await answerTo('GET', `${path}/deliveries?${filters}`)
  assert.equal(list.json<{ deliveries: unknown[] }>().deliveries.length, 1, list.text)
  assert.equal((await answerTo('POST', `${path}/deliveries/redeliver-failed`, SINCE)).text, '{"count":1}')
  await eventually('the ping failed again', isFailed)
  assert.equal((await answerTo('POST', `${delivery}/redeliver`)).status, 202)
  assert.equal((await answerTo('GET', `${path}/deliveries/${NO_DELIVERY}`)).status, 404)
  assert.equal((await answerTo('POST', `${path}/deliveries/${NO_DELIVERY}/redeliver`)).status, 404)
  return delivery
}
