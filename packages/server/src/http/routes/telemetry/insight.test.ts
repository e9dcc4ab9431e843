import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../../test-world/transports.test-support.ts'

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`over ${name}: a divergence, or why there is none; traces of others are not found`, async () => {
    const send = await connect(createHttpWorld().app)
    const commit = async (key: string, ...steps: readonly string[]): Promise<string> => {
      const body = JSON.stringify({ name: 'run', steps: steps.map((step) => ({ name: step, type: 'tool' })) })
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      return (await send({ method: 'POST', path: '/v1/traces', headers, body })).json().id
    }
    const read = (path: string) => send({ path: `/v1/${path}`, headers: { 'x-api-key': 'own' } })
    const get = (path: string) => read(`traces/${path}`)
    const foreign = await commit('foreign', 'a', 'b')
    const failed = await commit('own', 'a', 'c')
    const alone = (await get(`${failed}/divergence`)).json()
    assert.deepEqual(alone, { divergence: null, reason: 'no_success', compared_with: [] })
    const success = await commit('own', 'a', 'b')
    const { divergence, reason, compared_with } = (await get(`${failed}/divergence?failure_by=status`)).json()
    const { step_id, ...told } = divergence
    assert.match(step_id, /^st_/)
    assert.deepEqual(told, {
      kind: 'changed',
      sentence: 'This run called `c` where the only similar success called `b`.',
      support: { successes: 1, instead: [{ name: 'b', count: 1 }] },
    })
    assert.deepEqual([reason, compared_with[0].id, compared_with.length], [null, success, 1])
    const { traces } = (await get(`${failed}/similar?status=ok&limit=1`)).json()
    assert.deepEqual([traces[0].id, traces[0].similarity, traces[0].name], [success, 0.5, 'run'])
    const patterns = { patterns: [], failure_by: 'status', failed: 0, ok: 0, complete: true }
    assert.deepEqual((await read('patterns?status=error&meta_key=env')).json(), patterns)
    for (const query of ['limit=101', 'sort=cost_usd', 'cursor=x', 'meta_value=x'])
      assert.equal((await read(`patterns?${query}`)).status, 422, query)
    assert.equal((await get(`${failed}/similar?limit=51`)).status, 422)
    const versions = (query: string) => read(`versions${query}`)
    const none = { versions: [], version_key: 'version', failure_by: 'metadata:reward=0' }
    assert.deepEqual((await versions('?failure_by=metadata:reward=0&status=error')).json(), none)
    for (const query of ['limit=21', 'sort=cost_usd', 'meta_value=x'])
      assert.equal((await versions(`?${query}`)).status, 422, query)
    assert.equal((await get(`${foreign}/similar`)).status, 404)
    const origins = (await get(`${failed}/origins?step_id=${step_id}`)).json()
    assert.deepEqual(origins, { step_id, arguments: [], led_here: [], complete: true })
    assert.equal((await get(`${success}/origins?step_id=${step_id}`)).status, 404)
    assert.equal((await get(`${foreign}/origins?step_id=${step_id}`)).status, 404)
    assert.equal((await get(`${failed}/origins`)).status, 422)
    for (const id of [foreign, 'tr_01h2xcejqtf2nbrexx3vqjhp42'])
      assert.equal((await get(`${id}/divergence`)).status, 404)
    for (const query of ['failure_by=luck', 'failure_by=', 'task_key=', 'by=status']) {
      assert.equal((await get(`${failed}/divergence?${query}`)).status, 422, query)
    }
  })
}
