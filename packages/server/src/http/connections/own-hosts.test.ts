import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { listen, sendTo } from '../test-world/transports.test-support.ts'

test('if own hosts are set, other hosts get 421; loopback and the address of the socket are always allowed', async () => {
  const port = await listen(createHttpWorld({ hosts: ['traces.example.com', '10.1.2.3', '[2001:db8::1]'] }).app)
  const statusOf = async (host: string, path = '/v1/traces') =>
    (await sendTo(port, { path, headers: { host, 'x-api-key': 'own' } })).status
  for (const host of [
    'traces.example.com',
    'TRACES.example.com:8443',
    'traces.example.com.',
    '10.1.2.3:80',
    '[2001:DB8:0::1]:80',
    `127.0.0.1:${port}`,
    '127.9.9.9',
    'localhost:1234',
    'LOCALHOST',
    '[::1]:4319',
  ]) {
    assert.equal(await statusOf(host), 200, host)
  }
  for (const host of [
    'rebound.example',
    'example.com',
    'x.traces.example.com',
    'traces.example.com.evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.1.2.4',
    '[2001:db8::2]',
    'traces.example.com@evil.example',
    'a b',
  ]) {
    assert.equal(await statusOf(host), 421, host)
  }
  const refused = await sendTo(port, { path: '/metrics', headers: { host: 'rebound.example' } })
  assert.deepEqual([refused.status, refused.json().code], [421, 'misdirected_request'])
  assert.match(refused.json().detail, /rebound\.example.*SPOOR_HOSTS/)
  assert.equal(await statusOf('rebound.example', '/no/such/path'), 421)
})

test('answers probes of load balancers, which send any Host', async () => {
  const port = await listen(createHttpWorld({ hosts: ['traces.example.com'] }).app)
  for (const path of ['/healthz', '/readyz']) {
    assert.equal((await sendTo(port, { path, headers: { host: '10.255.0.1' } })).status, 200, path)
  }
})

test('answers every host if own hosts are not set', async () => {
  const port = await listen(createHttpWorld().app)
  const answer = await sendTo(port, { path: '/v1/traces', headers: { host: 'anything.example', 'x-api-key': 'own' } })
  assert.equal(answer.status, 200)
})
