import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyLimits } from '../../ports/access/key-store.ts'
import { createStillWorld } from '../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../test-world/transports.test-support.ts'

function limitedWorld(keyLimits: KeyLimits) {
  const world = createStillWorld()
  const own = world.access.keys.get('own')
  assert.ok(own)
  world.access.keys.set('own', { ...own, keyLimits })
  return world
}

const KEY = { 'x-api-key': 'own' }

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`${name}: a key beyond its requests of a second gets 429 and when to retry`, async () => {
    const { app, timers } = limitedWorld({ requestsPerSecond: 2, bytesPerSecond: null })
    const send = await connect(app)
    const read = (headers: Record<string, string> = KEY) => send({ path: '/v1/traces', headers })
    const statuses = async (count: number) => {
      const found: number[] = []
      while (found.length < count) found.push((await read()).status)
      return found
    }
    assert.deepEqual(await statuses(3), [200, 200, 429])
    const refused = await read()
    assert.equal(refused.json().code, 'rate_limited')
    assert.equal(refused.headers['retry-after'], '1')
    assert.equal((await read({ 'x-api-key': 'admin' })).status, 200)
    timers.advance(499)
    assert.equal((await read()).status, 429)
    timers.advance(1)
    assert.deepEqual(await statuses(2), [200, 429])
    timers.advance(60_000)
    assert.deepEqual(await statuses(3), [200, 200, 429])
    const metrics = (await send({ path: '/metrics' })).text
    assert.match(metrics, /spoor_requests_limited_total\{key="key_\w+",limit="requests"\} 5/)
  })

  test(`${name}: a body beyond the bytes of a second is taken, and later requests wait for it`, async () => {
    const { app, timers } = limitedWorld({ requestsPerSecond: null, bytesPerSecond: 1024 })
    const send = await connect(app)
    const write = () =>
      send({
        method: 'POST',
        path: '/v1/views',
        headers: { ...KEY, 'content-type': 'application/json' },
        body: `{"name":"a view","query":{}}${' '.repeat(4 * 1024 - 28)}`,
      })
    assert.equal((await write()).status, 201)
    const refused = await write()
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '4'])
    assert.equal((await send({ path: '/v1/traces', headers: KEY })).status, 429)
    timers.advance(3000)
    assert.equal((await write()).status, 429)
    timers.advance(1000)
    assert.notEqual((await write()).status, 429)
    const metrics = (await send({ path: '/metrics' })).text
    assert.match(metrics, /spoor_requests_limited_total\{key="key_\w+",limit="bytes"\} 3/)
  })
}
