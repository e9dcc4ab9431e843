import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Dashboard } from '@spoor/contract/schemas/dashboard'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own', 'content-type': 'application/json' }
const as = (key: string) => ({ ...OWN, 'x-api-key': key })
const TILE = { x: 0, y: 0, w: 6, h: 4, view_id: 'view_01h2xcejqtf2nbrexx3vqjhp41' }
const CHART = { name: 'a', query: {}, form: 'chart' }

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`dashboards over ${name}`, () => {
    async function dashboards() {
      const send = await connect(createHttpWorld().app)
      const path = '/v1/dashboards'
      return {
        save: (body: object, headers = OWN) => send({ method: 'POST', path, headers, body: JSON.stringify(body) }),
        patch: (id: string, body: object, headers = OWN) =>
          send({ method: 'PATCH', path: `${path}/${id}`, headers, body: JSON.stringify(body) }),
        remove: (id: string, headers = OWN) => send({ method: 'DELETE', path: `${path}/${id}`, headers }),
        list: async (headers = OWN): Promise<readonly Dashboard[]> => (await send({ path, headers })).json().dashboards,
      }
    }

    test('every project has a first one, which a change saves and which returns after the last', async () => {
      const { patch, remove, list } = await dashboards()
      const [first] = await list()
      assert.equal(first?.created_by, null)
      assert.deepEqual(
        first.tiles.map(({ view }) => [view?.name, view?.chart?.measure]),
        [
          ['Runs', 'count'],
          ['Failures by type of error', 'count'],
          ['Cost by model', 'cost_usd'],
          ['p95 by step', 'duration_ms'],
          ['Slowest tools', 'duration_ms'],
          ['Scores', 'metric.helpful'],
        ],
      )
      assert.notEqual((await list(as('foreign')))[0]?.id, first.id)
      assert.equal((await patch(first.id, { name: 'Ours' }, as('foreign'))).status, 404)
      const changed = (await patch(first.id, { tiles: [TILE] }, as('writer'))).json()
      assert.match(changed.created_by, /^key_/)
      assert.deepEqual([changed.name, changed.tiles], [first.name, [TILE]])
      assert.deepEqual(await list(), [changed])
      assert.equal((await remove(first.id, as('writer'))).status, 204)
      assert.deepEqual((await list())[0]?.tiles, first.tiles)
      assert.equal((await remove(first.id)).status, 404)
    })

    test('another one saves the first too, and only its author or a key that manages changes it', async () => {
      const { save, patch, remove, list } = await dashboards()
      const own = await save({ name: 'Failures', range: '7d', tiles: [TILE] })
      assert.equal(own.status, 201)
      const { id } = own.json()
      assert.deepEqual(
        (await list()).map((each) => each.name),
        ['Overview', 'Failures'],
      )
      for (const refused of [await patch(id, { name: 'b' }, as('writer')), await remove(id, as('writer'))]) {
        assert.deepEqual([refused.status, refused.json().code], [403, 'insufficient_scope'])
      }
      assert.equal((await patch(id, { name: 'Overview' })).status, 409)
      assert.equal((await save({ name: 'b', range: '7d', tiles: [] }, as('reader'))).status, 403)
      assert.equal((await remove(id)).status, 204)
    })

    for (const [wrong, pointer, tile] of [
      ['a tile with neither view', '/tiles/0', { ...TILE, view_id: undefined }],
      ['a tile with both', '/tiles/0', { ...TILE, view: { ...CHART, form: 'table' } }],
      ['a chart without a series', '/tiles/0/view/chart', { ...TILE, view_id: undefined, view: CHART }],
      ['a tile beyond the grid', '/tiles/0/w', { ...TILE, x: 7 }],
    ] as const) {
      test(`${wrong} is refused`, async () => {
        const { save } = await dashboards()
        const refused = await save({ name: 'a', range: '24h', tiles: [tile] })
        assert.deepEqual([refused.status, refused.json().errors[0].pointer], [422, pointer])
      })
    }
  })
}
