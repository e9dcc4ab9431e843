import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import { beginSession, endSession } from './change-session.ts'
import { earlyRequests } from './client/early-requests.ts'

for (const change of [beginSession, endSession]) {
  test(`${change.name} drops the responses to early requests`, async (t) => {
    t.mock.method(globalThis, 'fetch', async () => Response.json({}))
    earlyRequests.send('/v1/traces?limit=50')
    await change(new QueryClient())
    assert.equal(earlyRequests.take('/v1/traces?limit=50', undefined), null)
  })
}
