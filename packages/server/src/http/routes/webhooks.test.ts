import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHttpWorld, type HttpWorld } from '../test-world/http-world.test-support.ts'
import { type Send, type TestAnswer, TRANSPORTS } from '../test-world/transports.test-support.ts'

const WEBHOOK = { url: 'https://example.com/hook?x=1', events: ['trace.committed', 'monitor.fired'] }
const SECRET = 'a secret of sixteen'

const client = (send: Send, key = 'own') => ({
  get: (path: string) => send({ path, headers: { 'x-api-key': key } }),
  send: (method: string, path: string, body?: unknown) =>
    send({
      method,
      path,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
})

const pointers = (answer: TestAnswer): string[] =>
  answer.json().errors.map((one: { pointer: string; code: string }) => `${one.pointer} ${one.code}`)

const root = ({ ownProject }: HttpWorld) => `/v1/projects/${ownProject}/webhooks`

for (const [name, open] of Object.entries(TRANSPORTS)) {
  describe(name, () => {
    test('a webhook is created, read, listed, changed and deleted', async () => {
      const world = createHttpWorld()
      const send = await open(world.app)
      const own = client(send)
      const doubled = { ...WEBHOOK, events: ['monitor.fired', 'trace.committed', 'monitor.fired'], secret: SECRET }
      const made = await own.send('POST', root(world), doubled)
      assert.equal(made.status, 201, made.text)
      assert.equal(made.headers['cache-control'], 'no-store')
      const { id, created_at, updated_at, ...rest } = made.json()
      assert.match(id, /^wh_/)
      assert.equal(created_at, updated_at)
      assert.deepEqual(rest, {
        project_id: world.ownProject,
        ...WEBHOOK,
        format: 'json',
        description: '',
        enabled: true,
        disabled_reason: null,
        disabled_at: null,
        previous_secret_expires_at: null,
      })
      const path = `${root(world)}/${id}`
      assert.deepEqual((await own.get(path)).json(), made.json())
      const second = await own.send('POST', root(world), { ...WEBHOOK, enabled: false, description: 'later' })
      assert.deepEqual([second.json().enabled, second.json().disabled_reason], [false, 'by_request'])
      const page = (await own.get(`${root(world)}?limit=1`)).json()
      assert.deepEqual(page.webhooks, [made.json()])
      const next = (await own.get(`${root(world)}?limit=1&cursor=${page.next_cursor}`)).json()
      assert.deepEqual([next.webhooks[0].id, next.next_cursor], [second.json().id, null])
      const reader = client(send, 'reader')
      assert.equal((await reader.get(path)).json().url, 'https://example.com/…')
      assert.deepEqual(
        (await reader.get(root(world))).json().webhooks.map(({ url }: { url: string }) => url),
        Array(2).fill('https://example.com/…'),
      )
      const changed = await own.send('PATCH', path, { events: ['metric.event'], enabled: false })
      assert.equal(changed.status, 200)
      assert.deepEqual([changed.json().events, changed.json().disabled_reason], [['metric.event'], 'by_request'])
      assert.equal((await own.send('DELETE', path)).status, 204)
      assert.equal((await own.send('DELETE', path)).status, 404)
      assert.equal((await own.get(path)).status, 404)
    })

    test('a webhook of PagerDuty needs the key of its service, also for a rotation; a format is never changed', async () => {
      const world = createHttpWorld()
      const own = client(await open(world.app))
      const pagerduty = { ...WEBHOOK, format: 'pagerduty' }
      const refused = await own.send('POST', root(world), pagerduty)
      assert.equal(refused.status, 422)
      assert.deepEqual(
        refused.json().errors.map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
        [['/secret', 'required']],
      )
      const made = await own.send('POST', root(world), { ...pagerduty, secret: SECRET })
      assert.deepEqual([made.status, made.json().format, 'secret' in made.json()], [201, 'pagerduty', false])
      const path = `${root(world)}/${made.json().id}`
      assert.equal((await own.send('POST', `${path}/rotate-secret`, {})).status, 422)
      assert.equal((await own.send('POST', `${path}/rotate-secret`, { secret: `${SECRET}2` })).status, 200)
      assert.equal((await own.send('PATCH', path, { format: 'json' })).status, 422)
      assert.equal((await own.send('POST', root(world), { ...WEBHOOK, format: 'teams' })).status, 422)
    })

    test('a secret is shown once, if the service generated it, and nowhere else', async () => {
      const world = createHttpWorld()
      const own = client(await open(world.app))
      const { secret, ...webhook } = (await own.send('POST', root(world), WEBHOOK)).json()
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
      const path = `${root(world)}/${webhook.id}`
      assert.deepEqual((await own.get(path)).json(), webhook)
      const rotated = await own.send('POST', `${path}/rotate-secret`, { secret: SECRET })
      assert.equal(rotated.status, 200)
      assert.ok(!('secret' in rotated.json()))
      assert.equal(rotated.json().previous_secret_expires_at, '2026-03-04T12:00:00.000Z')
      const again = await own.send('POST', `${path}/rotate-secret`, {})
      assert.match(again.json().secret, /^whsec_/)
      assert.notEqual(again.json().secret, secret)
      const texts = [
        await own.get(root(world)),
        await own.get(path),
        await own.send('PATCH', path, { description: 'x' }),
        await own.send('POST', `${path}/ping`),
        rotated,
      ].map(({ text }) => text)
      for (const one of [secret, again.json().secret, SECRET]) {
        for (const text of [...texts, ...world.logLines]) assert.ok(!text.includes(one), text)
      }
    })

    test('refuses invalid fields by name, with a suggestion', async () => {
      const world = createHttpWorld()
      const own = client(await open(world.app))
      const path = `${root(world)}/${(await own.send('POST', root(world), WEBHOOK)).json().id}`
      const urls = [
        'ftp://x.test/',
        'example.com/hook',
        'http:/x.test',
        'https://',
        'https://x.test/ a',
        'https://x.test\\a',
      ]
      const more = ['https://user:pass@x.test/', 'https://user@x.test/', 'https://x.test/#here', 'https://x.test/#', '']
      more.push('https://@x.test/', 'https://:@x.test/', 'https://@x.test?a', 'https://x.test:0/', 'http://x.test:00')
      const refused: readonly (readonly [object, ...string[]])[] = [
        [{ url: 'http://127.0.0.1:8080/' }, '/url address_refused'],
        [{ url: `https://x.test/${'a'.repeat(2048)}` }, '/url too_long'],
        ...[...urls, ...more].map((url) => [{ url }, `/url ${url === '' ? 'too_short' : 'invalid_format'}`] as const),
        [{ url: null }, '/url wrong_type'],
        [{ events: [] }, '/events too_short'],
        [{ events: 'trace.committed' }, '/events wrong_type'],
        [
          { events: ['trace.committed', 'trace.commited', 'ping'] },
          '/events/1 invalid_value',
          '/events/2 invalid_value',
        ],
        [{ description: 'a'.repeat(1001) }, '/description too_long'],
        [{ description: 'a\u0007' }, '/description invalid_format'],
        [{ enabled: 'yes' }, '/enabled wrong_type'],
        [{ headers: {} }, '/headers unknown_field'],
      ]
      for (const [wrong, ...expected] of refused) {
        for (const answer of [
          await own.send('POST', root(world), { ...WEBHOOK, ...wrong }),
          await own.send('PATCH', path, wrong),
        ]) {
          assert.deepEqual([answer.status, answer.json().code], [422, 'validation_failed'], answer.text)
          assert.deepEqual(pointers(answer), expected, JSON.stringify(wrong))
        }
      }
      for (const [secret, expected] of [
        ['fifteen letters', '/secret too_short'],
        ['a'.repeat(257), '/secret too_long'],
        ['with a tab \t inside', '/secret invalid_format'],
        ['whsec_not base64 at all', '/secret invalid_format'],
      ] as const) {
        assert.deepEqual(pointers(await own.send('POST', root(world), { ...WEBHOOK, secret })), [expected])
        assert.deepEqual(pointers(await own.send('POST', `${path}/rotate-secret`, { secret })), [expected])
      }
      const typo = await own.send('POST', root(world), { ...WEBHOOK, events: ['trace.commited'] })
      assert.match(typo.json().errors[0].detail, /not "trace\.commited"\. Did you mean "trace\.committed"\?$/)
      const secret = await own.send('PATCH', path, { secret: SECRET })
      assert.deepEqual(pointers(secret), ['/secret unknown_field'])
      assert.match(secret.json().detail, /rotate-secret/)
      assert.equal((await own.send('PATCH', path, {})).status, 422)
      assert.equal((await own.send('POST', root(world), { url: WEBHOOK.url })).json().errors[0].pointer, '/events')
      assert.equal((await own.get(root(world))).json().webhooks.length, 1)
    })

    test('a project has at most the allowed number of webhooks', async () => {
      const world = createHttpWorld({ limits: { webhooksPerProject: 1 } })
      const own = client(await open(world.app))
      assert.equal((await own.send('POST', root(world), WEBHOOK)).status, 201)
      const second = await own.send('POST', root(world), WEBHOOK)
      assert.deepEqual([second.status, ...pointers(second)], [422, ' too_many'])
    })

    test('a webhook of another project does not exist, nor does the project, and scopes are enforced', async () => {
      const world = createHttpWorld()
      const send = await open(world.app)
      const made = (await client(send).send('POST', root(world), WEBHOOK)).json()
      const elsewhere = `/v1/projects/${world.foreignProject}/webhooks`
      const calls = (at: string, id: string): readonly [string, string, unknown?][] => [
        ['POST', at, WEBHOOK],
        ['GET', at],
        ['GET', `${at}/${id}`],
        ['PATCH', `${at}/${id}`, { description: 'mine' }],
        ['DELETE', `${at}/${id}`],
        ['POST', `${at}/${id}/rotate-secret`, {}],
        ['POST', `${at}/${id}/ping`],
      ]
      const statuses = async (key: string, at: string, id = made.id) => {
        const answers = []
        for (const call of calls(at, id)) answers.push((await client(send, key).send(...call)).status)
        return answers
      }
      // Its own id with the path of another project, and a foreign id with its own path.
      for (const key of ['own', 'admin']) assert.deepEqual(await statuses(key, elsewhere), Array(7).fill(404))
      assert.deepEqual((await statuses('foreign', elsewhere)).slice(2), Array(5).fill(404))
      assert.deepEqual(await statuses('foreign', root(world)), Array(7).fill(404))
      assert.deepEqual((await statuses('own', root(world), 'wh_no')).slice(2), Array(5).fill(404))
      assert.deepEqual(await statuses('reader', root(world)), [403, 200, 200, 403, 403, 403, 403])
      assert.deepEqual(await statuses('writer', root(world)), Array(7).fill(403))
      assert.deepEqual(await statuses('', root(world)), Array(7).fill(401))
      const { secret: _, ...webhook } = made
      assert.deepEqual((await client(send).get(`${root(world)}/${made.id}`)).json(), webhook)
    })
  })
}
