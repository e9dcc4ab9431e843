import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../../test-world/transports.test-support.ts'

const HOST = 'spoor.test:4319'
const ORIGIN = `http://${HOST}`
const JSON_BODY = { 'content-type': 'application/json' }
const COOKIE = /^spoor_session_4319=([\w-]{43}); Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/

type Headers = Record<string, string>

async function openWorld(connect: (typeof TRANSPORTS)[string]) {
  let now = 1_700_000_000_000
  const world = createHttpWorld({ now: () => now })
  const sendPlain = await connect(world.app)
  const send = (method: string, path: string, headers: Headers = {}, body?: string) =>
    sendPlain({ method, path, headers: { host: HOST, ...headers }, ...(body === undefined ? {} : { body }) })
  const signIn = (key: string, headers: Headers = {}) =>
    send('POST', '/v1/session', { ...JSON_BODY, ...headers }, JSON.stringify({ key }))
  /** The part that a browser stores. */
  const cookieOf = async (key: string, headers: Headers = {}) => {
    const answer = await signIn(key, headers)
    assert.equal(answer.status, 201, answer.text)
    return { cookie: String(answer.headers['set-cookie']).split(';')[0] as string }
  }
  const traceId = (await send('POST', '/v1/traces', { ...JSON_BODY, 'x-api-key': 'own' }, '{"name":"run"}')).json().id
  const pass = (ms: number) => (now += ms)
  return { ...world, send, signIn, cookieOf, traceId: traceId as string, pass }
}

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`sessions over ${name}`, () => {
    test('signing in sets a cookie that allows what the key allows; signing out ends it', async () => {
      const { send, signIn, ownProject, traceId, access } = await openWorld(connect)
      const answer = await signIn('own', { origin: ORIGIN })
      assert.equal(answer.status, 201, answer.text)
      assert.equal(answer.headers['cache-control'], 'no-store')
      const [, token = ''] = COOKIE.exec(String(answer.headers['set-cookie'])) ?? []
      assert.ok(!answer.text.includes(token) && token !== '', String(answer.headers['set-cookie']))
      const session = {
        key_id: access.keys.get('own')?.keyId,
        key_expires_at: null,
        project_id: ownProject,
        project_name: 'a project',
        scopes: ['ingest', 'read', 'media:sign', 'manage'],
        expires_at: '2023-11-14T23:13:20.000Z',
        created_at: '2023-11-14T22:13:20.000Z',
      }
      assert.deepEqual(answer.json(), session)
      const cookie = { cookie: `theme=dark; spoor_session_4319=${token}` }
      assert.deepEqual((await send('GET', '/v1/session', cookie)).json(), session)
      assert.equal((await send('GET', `/v1/traces/${traceId}`, cookie)).status, 200)

      const signedOut = await send('DELETE', '/v1/session', { ...cookie, origin: ORIGIN })
      assert.deepEqual([signedOut.status, signedOut.text], [204, ''])
      assert.match(
        String(signedOut.headers['set-cookie']),
        /^spoor_session_4319=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/,
      )
      for (const path of ['/v1/session', `/v1/traces/${traceId}`]) {
        const { status, text } = await send('GET', path, { ...cookie, 'x-request-id': 'same' })
        assert.deepEqual([status, text], [401, (await send('GET', path, { 'x-request-id': 'same' })).text])
      }
    })

    test('a change by cookie needs the origin of the service, a read does not', async () => {
      const { send, cookieOf, traceId } = await openWorld(connect)
      const cookie = await cookieOf('own')
      const path = `/v1/traces/${traceId}`
      const flag = (headers: Headers) => send('PATCH', path, { ...JSON_BODY, ...headers }, '{"flagged":true}')
      for (const origin of [undefined, 'null', 'http://evil.test', 'http://spoor.test', 'http://spoor.test:4320', '']) {
        const headers = { ...cookie, ...(origin === undefined ? {} : { origin }) }
        for (const refused of [
          await flag(headers),
          await send('DELETE', path, headers),
          await send('POST', '/v1/traces', { ...headers, ...JSON_BODY }, '{"name":"x"}'),
          await send('PUT', '/v1/prices/m', { ...headers, ...JSON_BODY }, '{}'),
          await send('DELETE', '/v1/session', headers),
        ]) {
          assert.deepEqual([refused.status, refused.json().code], [403, 'foreign_origin'], origin)
          assert.equal(refused.headers['set-cookie'], undefined)
        }
        assert.equal((await send('GET', path, headers)).status, 200)
        // A foreign page cannot send a key, so a client that does means it.
        assert.equal((await flag({ ...headers, 'x-api-key': 'own' })).status, 200)
      }
      assert.equal((await flag({ ...cookie, origin: ORIGIN })).status, 200)
      assert.equal((await flag({ ...cookie, origin: `https://${HOST}` })).status, 200)
    })

    test('a foreign page cannot sign in; a program without an origin can', async () => {
      const { signIn, access } = await openWorld(connect)
      for (const origin of ['http://evil.test', 'null']) {
        const refused = await signIn('own', { origin })
        assert.deepEqual([refused.status, refused.json().code], [403, 'foreign_origin'])
        assert.equal(refused.headers['set-cookie'], undefined)
      }
      assert.equal(access.sessions.size, 0)
      assert.equal((await signIn('own')).status, 201)
    })

    test('a wrong key gets the usual answer, and an existing session continues', async () => {
      const { send, signIn, cookieOf } = await openWorld(connect)
      const cookie = await cookieOf('own')
      const same = { 'x-request-id': 'same' }
      const { text } = await send('GET', '/v1/traces', same)
      for (const key of ['', 'junk', 'own ']) {
        const refused = await signIn(key, { ...same, ...cookie })
        assert.deepEqual([refused.status, refused.text, refused.headers['set-cookie']], [401, text, undefined])
      }
      assert.equal((await send('GET', '/v1/session', cookie)).status, 200)
    })

    test('a one-time token signs in as its key once; after that it is like a wrong key', async () => {
      const { send, access, ownProject } = await openWorld(connect)
      access.signInTokens.set('once', 'reader')
      const enter = (headers: Headers = {}) =>
        send('POST', '/v1/session', { ...JSON_BODY, 'x-request-id': 'same', ...headers }, '{"sign_in_token":"once"}')
      assert.equal((await enter({ origin: 'http://evil.test' })).json().code, 'foreign_origin')
      const answer = await enter({ origin: ORIGIN })
      assert.equal(answer.status, 201, answer.text)
      assert.match(String(answer.headers['set-cookie']), COOKIE)
      const { scopes, project_id } = answer.json()
      assert.deepEqual([scopes, project_id], [['read'], ownProject])
      const again = await enter()
      const { text } = await send('GET', '/v1/traces', { 'x-request-id': 'same' })
      assert.deepEqual([again.status, again.text, again.headers['set-cookie']], [401, text, undefined])
    })

    test('signing in again replaces the session', async () => {
      const { send, cookieOf, access } = await openWorld(connect)
      const first = await cookieOf('own')
      const second = await cookieOf('reader', first)
      assert.equal((await send('GET', '/v1/session', first)).status, 401)
      assert.deepEqual((await send('GET', '/v1/session', second)).json().scopes, ['read'])
      assert.equal(access.sessions.size, 1)
    })

    test('refuses an invalid body, and a long one before it is read', async () => {
      const { send } = await openWorld(connect)
      const post = (body: string, headers: Headers = JSON_BODY) => send('POST', '/v1/session', headers, body)
      for (const [body, status] of [
        ['{', 400],
        ['{}', 422],
        ['{"key":1}', 422],
        ['{"sign_in_token":1}', 422],
        ['{"key":"own","sign_in_token":"x"}', 422],
        ['{"key":"own","kee":1}', 422],
        ['{"key":"own","key":"own"}', 422],
        [JSON.stringify({ key: 'x'.repeat(5000) }), 413],
      ] as const) {
        assert.equal((await post(body)).status, status, body)
      }
      assert.equal((await post('{"key":"own"}', { 'content-type': 'text/plain' })).status, 415)
    })

    test('a session with admin can switch to another project, and all its requests apply there', async () => {
      const { send, cookieOf, ownProject, foreignProject, traceId } = await openWorld(connect)
      const cookie = await cookieOf('admin')
      const move = (projectId: string, headers: Headers = { ...cookie, origin: ORIGIN }) =>
        send('PATCH', '/v1/session', { ...JSON_BODY, ...headers }, JSON.stringify({ project_id: projectId }))
      const statuses = async () => {
        const paths = [
          `/v1/traces/${traceId}`,
          `/v1/projects/${ownProject}/webhooks`,
          `/v1/projects/${foreignProject}/webhooks`,
          `/v1/projects/${foreignProject}/keys`,
        ]
        const answers = await Promise.all(paths.map((path) => send('GET', path, cookie)))
        return answers.map(({ status }) => status)
      }
      assert.deepEqual(await statuses(), [200, 200, 404, 200])
      const before = (await send('GET', '/v1/session', cookie)).json()
      const moved = await move(foreignProject)
      assert.deepEqual(
        [moved.status, moved.headers['cache-control'], moved.json()],
        [200, 'no-store', { ...before, project_id: foreignProject }],
      )
      assert.deepEqual((await send('GET', '/v1/session', cookie)).json(), moved.json())
      assert.deepEqual(await statuses(), [404, 404, 200, 200])
      // Another session of the key and the key itself stay in their project.
      assert.equal((await send('GET', '/v1/session', await cookieOf('admin'))).json().project_id, ownProject)
      assert.equal((await send('GET', `/v1/traces/${traceId}`, { 'x-api-key': 'admin' })).status, 200)
      assert.equal((await move(ownProject)).json().project_id, ownProject)
      assert.deepEqual(await statuses(), [200, 200, 404, 200])
    })

    test('a path that names a project is for that project, and changes nothing else of the session', async () => {
      const { send, cookieOf, ownProject, foreignProject, traceId } = await openWorld(connect)
      const [admin, own] = [await cookieOf('admin'), await cookieOf('own')]
      const unknown = 'proj_01h2xcejqtf2nbrexx3vqjhp41'
      const projectOf = async (headers: Headers, path: string) => {
        const answer = await send('GET', path, headers)
        return answer.status === 200 ? answer.json().project_id : answer.status
      }
      const read = async (project: string, headers: Headers) => {
        const { status } = await send('GET', `/p/${project}/v1/traces/${traceId}`, headers)
        return [status, await projectOf(headers, `/p/${project}/v1/session`)]
      }
      assert.deepEqual(await read(ownProject, own), [200, ownProject])
      assert.deepEqual(await read(ownProject, admin), [200, ownProject])
      assert.deepEqual(await read(foreignProject, admin), [404, foreignProject])
      assert.deepEqual(await read(foreignProject, own), [404, 404])
      for (const wrong of [unknown, 'proj_1', '', 'constructor']) {
        assert.deepEqual(await read(wrong, admin), [404, 404], wrong)
      }
      assert.equal(await projectOf(admin, '/v1/session'), ownProject)
      // The key of a session opens its own project from any other.
      const change = { ...JSON_BODY, ...admin, origin: ORIGIN }
      await send('PATCH', '/v1/session', change, JSON.stringify({ project_id: foreignProject }))
      assert.deepEqual(await read(ownProject, admin), [200, ownProject])
      assert.equal((await send('GET', `/v1/traces/${traceId}`, admin)).status, 404)
    })

    test('a key is of one project, also where the path names another', async () => {
      const { send, ownProject, foreignProject, traceId } = await openWorld(connect)
      const read = (project: string, key: string) =>
        send('GET', `/p/${project}/v1/traces/${traceId}`, { 'x-api-key': key })
      assert.equal((await read(ownProject, 'own')).status, 200)
      for (const key of ['own', 'admin']) assert.equal((await read(foreignProject, key)).status, 404)
      assert.equal((await read(foreignProject, 'foreign')).status, 404)
      assert.equal((await read(ownProject, 'junk')).status, 401)
      for (const path of [
        `/p/${ownProject}`,
        `/p/${ownProject}/healthz`,
        `/p/${ownProject}/p/${ownProject}/v1/traces`,
      ]) {
        assert.equal((await send('GET', path, { 'x-api-key': 'own' })).status, 404, path)
      }
    })

    test('a change in a named project needs the origin of the service', async () => {
      const { send, cookieOf, foreignProject } = await openWorld(connect)
      const cookie = await cookieOf('admin')
      const create = (headers: Headers) =>
        send('POST', `/p/${foreignProject}/v1/traces`, { ...JSON_BODY, ...cookie, ...headers }, '{"name":"there"}')
      assert.equal((await create({})).json().code, 'foreign_origin')
      const created = await create({ origin: ORIGIN })
      assert.equal(created.status, 202, created.text)
      const path = `/v1/traces/${created.json().id}`
      assert.equal((await send('GET', path, { 'x-api-key': 'foreign' })).status, 200)
      assert.equal((await send('GET', path, cookie)).status, 404)
    })

    test('switching needs admin, an own origin and an existing project', async () => {
      const { send, cookieOf, foreignProject } = await openWorld(connect)
      const [admin, own] = [await cookieOf('admin'), await cookieOf('own')]
      const unknown = 'proj_01h2xcejqtf2nbrexx3vqjhp41'
      const to = (id: unknown) => JSON.stringify({ project_id: id })
      for (const [headers, body, status, code] of [
        [{ ...own, origin: ORIGIN }, to(foreignProject), 403, 'insufficient_scope'],
        [admin, to(foreignProject), 403, 'foreign_origin'],
        [{ ...admin, origin: 'http://evil.test' }, to(foreignProject), 403, 'foreign_origin'],
        [{ ...admin, origin: ORIGIN }, to(unknown), 404, 'not_found'],
        [{ 'x-api-key': 'admin' }, to(foreignProject), 404, 'not_found'],
        [{}, to(foreignProject), 401, 'unauthorized'],
        [{ ...admin, origin: ORIGIN }, to('proj_1'), 422, 'validation_failed'],
        [{ ...admin, origin: ORIGIN }, '{}', 422, 'validation_failed'],
      ] as const) {
        const answer = await send('PATCH', '/v1/session', { ...JSON_BODY, ...headers }, body)
        assert.deepEqual([answer.status, answer.json().code], [status, code], body)
      }
      assert.notEqual((await send('GET', '/v1/session', admin)).json().project_id, foreignProject)
    })

    test('a key in a header, even a wrong one, takes precedence over the cookie and has no session', async () => {
      const { send, cookieOf, traceId } = await openWorld(connect)
      const cookie = await cookieOf('own')
      const path = `/v1/traces/${traceId}`
      for (const [key, status] of [
        ['own', 200],
        ['writer', 403],
        ['foreign', 404],
        ['junk', 401],
        ['', 401],
      ] as const) {
        assert.equal((await send('GET', path, { ...cookie, 'x-api-key': key })).status, status, key)
      }
      for (const method of ['GET', 'DELETE']) {
        const answer = await send(method, '/v1/session', { ...cookie, 'x-api-key': 'own' })
        assert.deepEqual([answer.status, answer.json().code], [404, 'not_found'])
      }
      assert.equal((await send('GET', '/v1/session', cookie)).status, 200)
    })

    test('a session has the scopes and the project of its key, and ends with the key or when it expires', async () => {
      const { send, cookieOf, traceId, access, pass } = await openWorld(connect)
      const status = async (cookie: Headers, path: string) => (await send('GET', path, cookie)).status
      const [own, writer, foreign, admin] = [
        await cookieOf('own'),
        await cookieOf('writer'),
        await cookieOf('foreign'),
        await cookieOf('admin'),
      ]
      const path = `/v1/traces/${traceId}`
      assert.deepEqual(
        [await status(own, path), await status(writer, path), await status(foreign, path)],
        [200, 403, 404],
      )
      const create = (cookie: Headers) =>
        send('POST', '/v1/projects', { ...cookie, ...JSON_BODY, origin: ORIGIN }, '{"name":"x"}')
      assert.deepEqual([(await create(admin)).status, (await create(own)).status], [201, 403])
      access.keys.delete('foreign')
      assert.equal(await status(foreign, '/v1/traces'), 401)
      pass(3_600_000)
      assert.equal(await status(own, path), 401)
    })

    test('malformed, duplicate and unusual cookies give no session and no server error; a key in a URL is ignored', async () => {
      const { send, cookieOf } = await openWorld(connect)
      const { cookie } = await cookieOf('own')
      const [, token = ''] = cookie.split('=')
      for (const odd of [
        '',
        ';',
        '=',
        'spoor_session_4319',
        'spoor_session_4319=',
        'spoor_session_4319=own',
        'spoor_session_4319="',
        `spoor_session=${token}`,
        `spoor_session_4320=${token}`,
        `SPOOR_SESSION_4319=${token}`,
        `spoor_session_4319="${token}"`,
        `spoor_session_4319=${token.slice(1)}`,
        `spoor_session_4319=${'x'.repeat(43)}`,
        `${cookie}x`,
        `${cookie}; spoor_session_4319=${'x'.repeat(43)}`,
        `$Version=1; ${'a=b; '.repeat(500)}`,
        '__proto__=x; constructor=y',
        "spoor_session_4319=' OR 1=1 --",
        'spoor_session_4319=\u00ff\u00fe',
      ]) {
        const answer = await send('GET', '/v1/traces', { cookie: odd })
        assert.deepEqual([answer.status, answer.json().code], [401, 'unauthorized'], odd)
      }
      assert.equal((await send('GET', '/v1/traces', { cookie: `a; ${cookie};; ${cookie}` })).status, 200)
      for (const query of ['x-api-key=own', 'key=own', 'api_key=own', `spoor_session_4319=${token}`]) {
        assert.equal((await send('GET', `/v1/traces?${query}`)).status, 401, query)
      }
    })

    test('a stopping service refuses to sign in', async () => {
      const { signIn, readiness } = await openWorld(connect)
      readiness.beginStop()
      assert.equal((await signIn('own')).json().code, 'shutting_down')
    })
  })
}
