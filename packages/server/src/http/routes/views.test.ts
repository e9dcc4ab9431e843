import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { VIEW_DISPLAY_LENGTH } from '@spoor/contract/limits'
import { createHttpWorld, type HttpWorldOptions } from '../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own', 'content-type': 'application/json' }
const as = (key: string) => ({ ...OWN, 'x-api-key': key })
const QUERY = {
  status: 'error',
  flagged: false,
  model: 'gpt-4o',
  min_duration_ms: 5,
  metadata: { env: 'prod', retried: null },
  start_time: '2026-01-31',
  q: 'refund denied',
  sort: 'duration_ms',
  order: 'asc',
}

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`saved views over ${name}`, () => {
    async function views(options: HttpWorldOptions = {}) {
      const { app } = createHttpWorld(options)
      const send = await connect(app)
      return {
        save: (body: object, headers = OWN) =>
          send({ method: 'POST', path: '/v1/views', headers, body: JSON.stringify(body) }),
        patch: (id: string, body: object, headers = OWN) =>
          send({ method: 'PATCH', path: `/v1/views/${id}`, headers, body: JSON.stringify(body) }),
        remove: (id: string, headers = OWN) => send({ method: 'DELETE', path: `/v1/views/${id}`, headers }),
        list: (query = '', headers = OWN) => send({ path: `/v1/views?${query}`, headers }),
      }
    }

    test('a view is saved, listed, renamed, replaced and deleted', async () => {
      const { save, patch, remove, list } = await views()
      const display = { range: '24h', columns: ['name', 'cost'] }
      const saved = await save({ name: 'Slow failures', query: QUERY, display })
      assert.equal(saved.status, 201)
      const view = saved.json()
      assert.match(view.id, /^view_/)
      assert.match(view.created_by, /^key_/)
      assert.deepEqual([view.name, view.query, view.display], ['Slow failures', QUERY, display])
      assert.equal((await save({ name: 'All', query: {} })).json().display.range, undefined)
      assert.deepEqual([view.form, view.chart], ['table', null])
      const chart = { rows: 'steps', measure: 'duration_ms', stat: 'p95', group_by: ['tool'], drawn: 'bar' }
      const charted = (await save({ name: 'Slow tools', query: {}, form: 'chart', chart })).json()
      assert.deepEqual([charted.form, charted.chart], ['chart', chart])
      assert.equal((await remove(charted.id)).status, 204)
      const ofSteps = (await save({ name: 'Steps', query: { sort: 'started_at' }, form: 'steps' })).json()
      assert.equal(ofSteps.query.sort, 'started_at')
      assert.equal((await remove(ofSteps.id)).status, 204)
      const first = (await list('limit=1')).json()
      assert.deepEqual(first.views, [view])
      assert.deepEqual(
        (await list(`limit=1&cursor=${first.next_cursor}`)).json().views.map((each: { name: string }) => each.name),
        ['All'],
      )
      const renamed = (await patch(view.id, { name: 'Slow' })).json()
      assert.deepEqual(renamed, { ...view, name: 'Slow', updated_at: renamed.updated_at })
      const replaced = (await patch(view.id, { query: { q: 'x' }, display: {} })).json()
      assert.deepEqual([replaced.name, replaced.query, replaced.display], ['Slow', { q: 'x' }, {}])
      assert.equal((await remove(view.id)).status, 204)
      assert.equal((await remove(view.id)).status, 404)
      assert.equal((await patch(view.id, { name: 'x' })).status, 404)
      assert.equal((await list()).json().views.length, 1)
    })

    test('a name is unique in the project', async () => {
      const { save, patch } = await views()
      await save({ name: 'a', query: {} })
      const taken = await save({ name: 'a', query: {} })
      assert.deepEqual([taken.status, taken.json().code], [409, 'view_conflict'])
      const { id } = (await save({ name: 'b', query: {} })).json()
      assert.equal((await patch(id, { name: 'a' })).status, 409)
      assert.equal((await patch(id, { name: 'b' })).status, 200)
      assert.equal((await save({ name: 'a', query: {} }, as('foreign'))).status, 201)
    })

    test('a key that reads sees views and cannot change them, one that writes can, others see nothing', async () => {
      const { save, patch, remove, list } = await views()
      const { id } = (await save({ name: 'a', query: {} }, as('writer'))).json()
      assert.equal((await list('', as('reader'))).json().views[0].id, id)
      assert.equal((await list('', as('writer'))).status, 403)
      const refused = [
        await save({ name: 'b', query: {} }, as('reader')),
        await patch(id, { name: 'b' }, as('reader')),
        await remove(id, as('reader')),
      ]
      assert.deepEqual(
        refused.map(({ status }) => status),
        [403, 403, 403],
      )
      assert.deepEqual((await list('', as('foreign'))).json().views, [])
      assert.equal((await patch(id, { name: 'b' }, as('foreign'))).status, 404)
      assert.equal((await remove(id, as('foreign'))).status, 404)
    })

    test('a view is changed and deleted by its author or a key that manages, and by no other that writes', async () => {
      const { save, patch, remove } = await views()
      const own = (await save({ name: 'a', query: {} })).json()
      for (const refused of [await patch(own.id, { name: 'b' }, as('writer')), await remove(own.id, as('writer'))]) {
        assert.deepEqual([refused.status, refused.json().code], [403, 'insufficient_scope'])
      }
      const written = (await save({ name: 'b', query: {} }, as('writer'))).json()
      for (const key of ['writer', 'own']) {
        assert.equal((await patch(written.id, { name: `by ${key}` }, as(key))).json().name, `by ${key}`)
      }
      assert.equal((await remove(written.id, as('writer'))).status, 204)
      assert.equal((await remove(own.id)).status, 204)
    })

    for (const [wrong, pointer, code, body] of [
      ['an unknown filter', '/query/colour', 'unknown_field', { name: 'a', query: { colour: 'red' } }],
      ['a filter with a wrong value', '/query/status', 'invalid_value', { name: 'a', query: { status: 'broken' } }],
      ['a page', '/query/cursor', 'unknown_field', { name: 'a', query: { cursor: 'x' } }],
      [
        'a day that does not exist',
        '/query/end_time',
        'invalid_format',
        { name: 'a', query: { end_time: '2026-02-30' } },
      ],
      ['metadata of another type', '/query/metadata/a', 'wrong_type', { name: 'a', query: { metadata: { a: 1 } } }],
      [
        'a value of metadata of 1,001 characters',
        '/query/metadata/a',
        'too_long',
        { name: 'a', query: { metadata: { a: 'v'.repeat(1001) } } },
      ],
      ['no query', '/query', 'required', { name: 'a' }],
      ['a chart without a series', '/chart', 'required', { name: 'a', query: {}, form: 'chart' }],
      ['an invisible name', '/name', 'too_short', { name: ' ', query: {} }],
      ['a name with a control character', '/name', 'invalid_format', { name: 'a\nb', query: {} }],
      ['a long name', '/name', 'too_long', { name: 'a'.repeat(201), query: {} }],
      [
        'a large display',
        '/display',
        'too_long',
        { name: 'a', query: {}, display: { a: 'x'.repeat(VIEW_DISPLAY_LENGTH) } },
      ],
    ] as const) {
      test(`${wrong} is refused`, async () => {
        const { save, patch, list } = await views()
        const refused = await save(body)
        assert.equal(refused.status, 422)
        assert.deepEqual(
          refused.json().errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code]),
          [[pointer, code]],
        )
        if (!('query' in body)) return
        const { id } = (await save({ name: 'good', query: {} })).json()
        assert.equal((await patch(id, body)).status, 422)
        assert.equal((await list()).json().views[0].name, 'good')
      })
    }

    test('a project has at most as many views as the limit allows', async () => {
      const { save } = await views({ limits: { viewsPerProject: 1 } })
      await save({ name: 'a', query: {} })
      const refused = await save({ name: 'b', query: {} })
      assert.deepEqual([refused.status, refused.json().errors[0].code], [422, 'too_many'])
    })
  })
}
