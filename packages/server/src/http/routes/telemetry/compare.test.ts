import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { type Send, TRANSPORTS } from '../../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own' }

async function commit(send: Send, steps: readonly string[], key = 'own'): Promise<string> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const { id } = (await send({ method: 'POST', path: '/v1/traces', headers, body: '{"name":"run"}' })).json()
  const body = steps.map((name) => JSON.stringify({ name })).join('\n')
  const lines = { ...headers, 'content-type': 'application/x-ndjson' }
  await send({ method: 'POST', path: `/v1/traces/${id}/steps`, headers: lines, body })
  return id
}

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`comparison over ${name}`, () => {
    test('pairs, the first divergence and the totals', async () => {
      const send = await connect(createHttpWorld().app)
      const [left, right] = [await commit(send, ['a', 'b', 'c']), await commit(send, ['a', 'c', 'd'])]
      const answer = (await send({ path: `/v1/traces/compare?left=${left}&right=${right}`, headers: OWN })).json()
      assert.deepEqual([answer.left.id, answer.right.id], [left, right])
      const kinds = answer.pairs.map((pair: { kind: string }) => pair.kind)
      assert.deepEqual(kinds, ['same', 'only_left', 'same', 'only_right'])
      const { kind, left_step_id, right_step_id } = answer.pairs[1]
      assert.deepEqual(answer.first_divergence, { pair: 1, kind, left_step_id, right_step_id })
      const { same, changed, only_left, only_right, left: ofLeft } = answer.totals
      assert.deepEqual([same, changed, only_left, only_right, ofLeft.error_count], [2, 0, 1, 1, 0])
      const itself = (await send({ path: `/v1/traces/compare?left=${left}&right=${left}`, headers: OWN })).json()
      assert.deepEqual([itself.first_divergence, itself.totals.same], [null, 3])
    })

    test('an unknown trace and one of another project are not found; a query without both is refused', async () => {
      const send = await connect(createHttpWorld().app)
      const [own, foreign] = [await commit(send, ['a']), await commit(send, ['a'], 'foreign')]
      const status = async (query: string) => (await send({ path: `/v1/traces/compare?${query}`, headers: OWN })).status
      for (const other of [foreign, 'tr_01h2xcejqtf2nbrexx3vqjhp42', '0af7651916cd43dd8448eb211c80319c']) {
        assert.equal(await status(`left=${own}&right=${other}`), 404)
        assert.equal(await status(`left=${other}&right=${own}`), 404)
      }
      assert.equal(await status(`left=${own}`), 422)
      assert.equal(await status(`left=${own}&right=junk`), 422)
    })
  })
}
