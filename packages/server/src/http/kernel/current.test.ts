import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../lib/domain-error.ts'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own' }

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`${name}: a request is handled once this node shows what others have acknowledged`, async () => {
    const events: string[] = []
    const gate = Promise.withResolvers<void>()
    const { app } = createHttpWorld({
      current: async () => {
        events.push('asked')
        await gate.promise
        events.push('current')
      },
    })
    const send = await connect(app)
    const answer = send({ path: '/v1/traces', headers: OWN }).then((one) => {
      events.push('answered')
      return one
    })
    while (events.length === 0) await new Promise(setImmediate)
    gate.resolve()
    assert.equal((await answer).status, 200)
    assert.deepEqual(events, ['asked', 'current', 'answered'])
  })

  test(`${name}: while that cannot be found out, requests get 503 and probes are answered`, async () => {
    const { app } = createHttpWorld({
      current: async () => {
        throw new DomainError('storage_unavailable', 'The store cannot be used now.', { retryAfterSeconds: 2 })
      },
    })
    const send = await connect(app)
    const refused = await send({ path: '/v1/traces', headers: OWN })
    assert.deepEqual([refused.status, refused.json().code], [503, 'storage_unavailable'])
    for (const path of ['/healthz', '/readyz', '/metrics']) assert.equal((await send({ path })).status, 200, path)
  })
}
