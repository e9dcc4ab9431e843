import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepId } from '@spoor/contract/ids'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own', 'content-type': 'application/json' }
const STEP = 'st_01h2xcejqtf2nbrexx3vqjhp42' as StepId

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`rows of a search have where it was found, others have not, over ${name}`, async () => {
    const { app, traces } = createHttpWorld()
    const send = await connect(app)
    const post = async (run: string) =>
      (await send({ method: 'POST', path: '/v1/traces', headers: OWN, body: JSON.stringify({ name: run }) })).json().id
    const [first, second] = [await post('one'), await post('other')]
    const rows = async (query: string) =>
      (await send({ path: `/v1/traces${query}`, headers: OWN })).json().traces as Record<string, unknown>[]
    assert.ok((await rows('')).every((row) => !('snippet' in row)))
    traces.snippets = new Map([[first, { stepId: STEP, text: 'a “refund”', ranges: [[3, 9]] }]])
    const found = new Map((await rows('?q=refund')).map((row) => [row['id'], row['snippet']]))
    assert.deepEqual(found.get(first), { step_id: STEP, text: 'a “refund”', ranges: [[3, 9]] })
    assert.equal(found.get(second), null)
  })
}
