import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { type Send, TRANSPORTS } from '../../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own', 'content-type': 'application/json' }
const FOREIGN = { ...OWN, 'x-api-key': 'foreign' }

const define = (send: Send, body: object | string, headers: Record<string, string> = OWN) =>
  send({ method: 'POST', path: '/v1/metrics', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })
const change = (send: Send, name: string, body: object) =>
  send({ method: 'PATCH', path: `/v1/metrics/${encodeURIComponent(name)}`, headers: OWN, body: JSON.stringify(body) })

const ENUM = { name: 'tone', kind: 'enum', options: [{ value: 'a', label: 'A' }, { value: 'b' }] }

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`definitions of metrics over ${name}`, () => {
    test('a metric is defined, defined again unchanged, refused with another definition, read and listed', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const made = await define(send, { name: 'reward', kind: 'numeric', min: -0, max: 1, unit: 'points' })
      assert.equal(made.status, 201, made.text)
      const { id, ...rest } = made.json()
      assert.match(id, /^met_/)
      assert.deepEqual(rest, {
        name: 'reward',
        kind: 'numeric',
        description: null,
        min: 0,
        max: 1,
        unit: 'points',
        options: null,
        direction: null,
        created_at: '2023-11-14T22:13:20.000Z',
        updated_at: '2023-11-14T22:13:20.000Z',
      })
      const again = await define(send, { unit: 'points', kind: 'numeric', max: 1.0, min: 0, name: 'reward' })
      assert.deepEqual([again.status, again.text], [200, made.text])
      const other = await define(send, { name: 'reward', kind: 'numeric', min: 0, max: 2, unit: 'points' })
      assert.deepEqual([other.status, other.json().code], [409, 'metric_conflict'])
      assert.equal((await define(send, { name: 'reward', kind: 'boolean' })).status, 409)
      assert.equal((await define(send, ENUM)).status, 201)
      assert.equal((await define(send, { ...ENUM, options: ENUM.options.toReversed() })).status, 409)

      assert.equal((await send({ path: '/v1/metrics/reward', headers: OWN })).text, made.text)
      const first = (await send({ path: '/v1/metrics?limit=1', headers: OWN })).json()
      const second = (await send({ path: `/v1/metrics?limit=1&cursor=${first.next_cursor}`, headers: OWN })).json()
      assert.deepEqual(
        [...first.metrics, ...second.metrics].map((metric: { name: string }) => metric.name),
        ['reward', 'tone'],
      )
      assert.equal(second.next_cursor, null)
      assert.equal((await send({ path: '/v1/metrics?cursor=junk', headers: OWN })).json().code, 'invalid_cursor')
    })

    test('refuses an invalid definition with the place of the error', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const long = 'x'.repeat(100)
      const cases: readonly (readonly [object | string, string, string])[] = [
        [{ kind: 'boolean' }, '/name', 'required'],
        [{ name: 'a' }, '/kind', 'required'],
        [{ name: '', kind: 'boolean' }, '/name', 'too_short'],
        [{ name: ' \u200b', kind: 'boolean' }, '/name', 'too_short'],
        [{ name: `${long}x`, kind: 'boolean' }, '/name', 'too_long'],
        [{ name: 'a\nb', kind: 'boolean' }, '/name', 'invalid_format'],
        [{ name: 'a\u0000b', kind: 'boolean' }, '/name', 'invalid_format'],
        ['{"name":"\\ud800a","kind":"boolean"}', '/name', 'invalid_value'],
        [{ name: 'events', kind: 'boolean' }, '/name', 'invalid_value'],
        [{ name: '..', kind: 'boolean' }, '/name', 'invalid_value'],
        [{ name: 'a', kind: 'text' }, '/kind', 'invalid_value'],
        [{ name: 'a', kind: 'boolean', min: 0 }, '/min', 'invalid_value'],
        [{ name: 'a', kind: 'enum', unit: 's', options: [{ value: 'x' }] }, '/unit', 'invalid_value'],
        [{ name: 'a', kind: 'numeric', options: [{ value: 'x' }] }, '/options', 'invalid_value'],
        [{ name: 'a', kind: 'enum' }, '/options', 'required'],
        [{ name: 'a', kind: 'enum', options: [] }, '/options', 'too_short'],
        [
          { name: 'a', kind: 'enum', options: Array.from({ length: 101 }, (_, i) => ({ value: `${i}` })) },
          '/options',
          'too_many',
        ],
        [{ name: 'a', kind: 'enum', options: [{ value: 'x' }, { value: 'x' }] }, '/options/1/value', 'invalid_value'],
        [{ name: 'a', kind: 'enum', options: [{ value: `${long}x` }] }, '/options/0/value', 'too_long'],
        [{ name: 'a', kind: 'enum', options: [{ value: 'x', lable: 'y' }] }, '/options/0/lable', 'unknown_field'],
        ['{"name":"a","kind":"enum","options":[{"value":"x","value":"y"}]}', '/options/0/value', 'duplicate_field'],
        [{ name: 'a', kind: 'numeric', min: 2, max: 1 }, '/max', 'out_of_range'],
        [{ name: 'a', kind: 'numeric', min: '1' }, '/min', 'wrong_type'],
        ['{"name":"a","kind":"numeric","max":1e400}', '/max', 'out_of_range'],
        [{ name: 'a', kind: 'boolean', direction: 'up' }, '/direction', 'invalid_value'],
        [{ name: 'a', kind: 'boolean', nmae: 1 }, '/nmae', 'unknown_field'],
        ['{"name":"a","kind":"boolean","kind":"enum"}', '/kind', 'duplicate_field'],
      ]
      for (const [body, pointer, code] of cases) {
        const answer = await define(send, body)
        const label = `${JSON.stringify(body).slice(0, 100)}: ${answer.text}`
        assert.deepEqual([answer.status, answer.json().code], [422, 'validation_failed'], label)
        const found = answer
          .json()
          .errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code])
        assert.ok(JSON.stringify(found).includes(JSON.stringify([pointer, code])), label)
      }
      assert.deepEqual((await send({ path: '/v1/metrics', headers: OWN })).json().metrics, [])
    })

    test('finds a name with any characters by its percent-encoding', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const names = ['a/b', '100%', '%2F', 'größe?', 'a b', '#', '\u{1F600}'.repeat(100), 'event', ':name', 'a/series']
      for (const metric of names) {
        assert.equal((await define(send, { name: metric, kind: 'boolean' })).status, 201, metric)
        const found = await send({ path: `/v1/metrics/${encodeURIComponent(metric)}`, headers: OWN })
        assert.deepEqual([found.status, found.json().name], [200, metric])
      }
      const beyond = async (length: number) =>
        (await send({ path: `/v1/metrics/${'x'.repeat(length)}`, headers: OWN })).status
      assert.deepEqual([await beyond(101), await beyond(9000), await beyond(9001)], [404, 404, 400])
    })

    test('a change keeps recorded events valid and applies from the next request on', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      await define(send, { name: 'n', kind: 'numeric', min: 0, max: 1 })
      await define(send, ENUM)
      const refused: readonly (readonly [string, object, string, string])[] = [
        ['n', { min: 0.1 }, '/min', 'out_of_range'],
        ['n', { max: 0.9 }, '/max', 'out_of_range'],
        ['n', { options: [{ value: 'a' }] }, '/options', 'invalid_value'],
        ['n', { name: 'm' }, '/name', 'unknown_field'],
        ['n', {}, '', 'invalid_value'],
        ['n', { unit: '' }, '/unit', 'too_short'],
        ['tone', { options: [{ value: 'a' }] }, '/options', 'invalid_value'],
        ['tone', { options: [{ value: 'a' }, { value: 'b' }, { value: 'b' }] }, '/options/2/value', 'invalid_value'],
        ['tone', { min: 0 }, '/min', 'invalid_value'],
        ['tone', { unit: 's' }, '/unit', 'invalid_value'],
      ]
      for (const [metric, body, pointer, code] of refused) {
        const answer = await change(send, metric, body)
        const [error] = answer.json().errors
        assert.deepEqual([answer.status, error.pointer, error.code], [422, pointer, code], answer.text)
      }
      const widened = await change(send, 'n', { min: -1, max: null, unit: 's', description: 'd', direction: 'lower' })
      assert.equal(widened.status, 200, widened.text)
      const { min, max, unit, description, direction } = widened.json()
      assert.deepEqual([min, max, unit, description, direction], [-1, null, 's', 'd', 'lower'])
      assert.equal((await send({ path: '/v1/metrics/n', headers: OWN })).text, widened.text)
      assert.equal((await change(send, 'n', { max: 5 })).status, 422, 'a bound cannot come back')
      const cleared = (await change(send, 'n', { unit: null, description: null, direction: null })).json()
      assert.deepEqual([cleared.unit, cleared.description, cleared.direction, cleared.min], [null, null, null, -1])
      const options = [{ value: 'c' }, { value: 'b', label: 'B' }, { value: 'a' }]
      const added = (await change(send, 'tone', { options })).json()
      assert.deepEqual(added.options, [
        { value: 'c', label: null },
        { value: 'b', label: 'B' },
        { value: 'a', label: null },
      ])
      assert.equal((await change(send, 'nothing', { unit: 's' })).status, 404)
    })

    test('each project has its own limit of metrics', async () => {
      const { app } = createHttpWorld({ limits: { metricsPerProject: 2 } })
      const send = await connect(app)
      for (const metric of ['a', 'b']) assert.equal((await define(send, { name: metric, kind: 'boolean' })).status, 201)
      const full = await define(send, { name: 'c', kind: 'boolean' })
      assert.deepEqual([full.status, full.json().errors[0].code], [422, 'too_many'])
      assert.equal((await define(send, { name: 'a', kind: 'boolean' })).status, 200)
      assert.equal((await define(send, { name: 'a', kind: 'numeric' }, FOREIGN)).status, 201)
      assert.equal((await send({ path: '/v1/metrics/b', headers: FOREIGN })).status, 404)
      const theirs = (await send({ path: '/v1/metrics', headers: FOREIGN })).json().metrics
      assert.deepEqual([theirs.length, theirs[0].kind], [1, 'numeric'])
    })

    test('of two concurrent definitions of one name exactly one wins', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const kinds = Array.from({ length: 10 }, (_, i) => ({ name: 'race', kind: 'numeric', min: i % 2 }))
      const answers = await Promise.all(kinds.map((body) => define(send, body)))
      const statuses = answers.map(({ status }) => status).toSorted()
      assert.deepEqual(statuses, [200, 200, 200, 200, 201, 409, 409, 409, 409, 409])
      const kept = (await send({ path: '/v1/metrics/race', headers: OWN })).json()
      for (const answer of answers) if (answer.status < 300) assert.deepEqual(answer.json(), kept)
    })
  })
}
