import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own', 'content-type': 'application/json' }
const NO_TRACE = `tr_${'0'.repeat(26)}`

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`the service over ${name}`, () => {
    test('a trace is returned as it was sent, without values for omitted fields', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const body =
        '{"name":"run","metadata":{"big":1.50},"steps":[{"name":"a","messages":[{"role":"user"}]},{"name":"b"}]}'
      const receipt = await send({ method: 'POST', path: '/v1/traces', headers: OWN, body })
      assert.equal(receipt.status, 202)
      const { id, state, step_ids, committed_at } = receipt.json()
      assert.equal(state, 'committed')
      assert.equal(step_ids.length, 2)
      assert.equal(committed_at, '1970-01-01T00:00:00.000Z')

      const trace = (await send({ path: `/v1/traces/${id}`, headers: OWN })).json()
      assert.deepEqual(trace.metadata, { big: 1.5 })
      assert.deepEqual(trace.steps[0].messages, [{ role: 'user' }])
      for (const field of ['messages', 'metadata', 'token_usage', 'error']) assert.ok(!(field in trace.steps[1]), field)
      const feed = (await send({ path: '/v1/traces?limit=5000', headers: OWN })).json()
      assert.deepEqual([feed.traces.length, feed.traces[0].id, feed.next_cursor], [1, id, null])
      const boundless = await send({ path: `/v1/traces?limit=1${'0'.repeat(20)}`, headers: OWN })
      assert.deepEqual([boundless.status, boundless.json().traces.length], [200, 1])

      const patched = await send({ method: 'PATCH', path: `/v1/traces/${id}`, headers: OWN, body: '{"flagged":true}' })
      assert.deepEqual([patched.status, patched.json().state], [200, 'flagged'])
      const deleted = await send({ method: 'DELETE', path: `/v1/traces/${id}`, headers: OWN })
      assert.deepEqual([deleted.status, deleted.text], [204, ''])
      assert.equal((await send({ path: `/v1/traces/${id}`, headers: OWN })).status, 404)
    })

    test('every refusal is a problem with the request id', async () => {
      const { app } = createHttpWorld({ limits: { traceBodyBytes: 10, controlBodyBytes: 100 } })
      const send = await connect(app)
      const patch = { method: 'PATCH', path: `/v1/traces/${NO_TRACE}`, headers: OWN }
      const cases = [
        [{ path: '/nowhere' }, 404, 'not_found'],
        [{ path: '/v1/traces' }, 401, 'unauthorized'],
        [{ path: '/v1/traces', headers: { 'x-api-key': 'junk' } }, 401, 'unauthorized'],
        [{ path: '/v1/traces', headers: { 'x-api-key': 'writer' } }, 403, 'insufficient_scope'],
        [{ method: 'PUT', path: '/v1/traces', headers: OWN, body: '{}' }, 405, 'method_not_allowed'],
        [{ path: `/v1/traces/${NO_TRACE}`, headers: OWN }, 404, 'not_found'],
        [{ path: '/v1/traces/tr_short', headers: OWN }, 404, 'not_found'],
        [{ path: '/v1/traces/%zz', headers: OWN }, 400, 'bad_request'],
        [{ method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"too long"}' }, 413, 'payload_too_large'],
        [
          { method: 'POST', path: '/v1/traces', headers: { 'x-api-key': 'own' }, body: '{}' },
          415,
          'unsupported_media_type',
        ],
        [
          { method: 'POST', path: '/v1/traces', headers: { ...OWN, 'content-encoding': 'br' }, body: '{}' },
          415,
          'unsupported_media_type',
        ],
        [
          { method: 'POST', path: '/v1/traces', headers: { ...OWN, 'content-type': ';' }, body: '{}' },
          415,
          'unsupported_media_type',
        ],
        [{ method: 'POST', path: '/v1/traces', headers: OWN, body: '{' }, 400, 'malformed_json'],
        [{ ...patch, body: '{' }, 400, 'malformed_json'],
        [{ ...patch, body: Buffer.from([0x22, 0xff, 0x22]) }, 400, 'invalid_encoding'],
        [{ ...patch, body: '{"flagged":true,"nope":1}' }, 422, 'validation_failed'],
        [{ ...patch, body: '{"reason":"x"}' }, 422, 'validation_failed'],
        [{ ...patch, body: '{"flagged":true,"fl\\u0061gged":false}' }, 422, 'validation_failed'],
        [{ path: '/v1/traces/tail', headers: { ...OWN, 'last-event-id': '9x' } }, 400, 'invalid_position'],
        [{ path: '/v1/traces/tail', headers: { ...OWN, accept: 'application/json' } }, 406, 'not_acceptable'],
        [{ path: '/v1/traces/tail?from=9', headers: OWN }, 422, 'validation_failed'],
      ] as const
      for (const [request, status, code] of cases) {
        const answer = await send({
          ...request,
          headers: { ...('headers' in request ? request.headers : {}), 'x-request-id': 'mine' },
        })
        const problem = answer.json()
        assert.deepEqual(
          [answer.status, problem.status, problem.code, problem.request_id],
          [status, status, code, 'mine'],
          JSON.stringify(request),
        )
        assert.match(String(answer.headers['content-type']), /^application\/problem\+json/)
        assert.equal(answer.headers['x-request-id'], 'mine')
        assert.equal(problem.type, `/problems/${code}`)
      }
    })

    test('malformed JSON and duplicate fields in a control body are reported with their place', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const patch = (body: string) => send({ method: 'PATCH', path: `/v1/traces/${NO_TRACE}`, headers: OWN, body })
      assert.equal((await patch('{"flagged":tru}')).json().detail.startsWith('Line 1, column '), true)
      assert.deepEqual((await patch('{"flagged":true,"flagged":false}')).json().errors, [
        { pointer: '/flagged', code: 'duplicate_field', detail: '`flagged` occurs more than once.' },
      ])
      const deep = (await patch(`{"reason":${'['.repeat(70)}${']'.repeat(70)}}`)).json()
      assert.deepEqual([deep.code, deep.errors[0].code], ['validation_failed', 'too_deep'])
    })

    test('traces can be filtered by a metadata key of any allowed length', async () => {
      const { app } = createHttpWorld({ limits: { metadataKeyLength: 10_000 } })
      const send = await connect(app)
      const list = (length: number) =>
        send({ path: `/v1/traces?meta_key=${'k'.repeat(length)}`, headers: { 'x-api-key': 'own' } })
      assert.deepEqual([(await list(10_000)).status, (await list(10_001)).status], [200, 422])
    })

    test('a request without a valid id gets one', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const { headers } = await send({ path: '/healthz', headers: { 'x-request-id': 'two words' } })
      assert.equal(headers['x-request-id'], 'request-1')
    })

    test('all refused keys get the same answer', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const bodies = []
      for (const key of [undefined, '', 'junk', 'spoor_revoked', 'own,own']) {
        const headers = { 'x-request-id': 'same', ...(key === undefined ? {} : { 'x-api-key': key }) }
        const answer = await send({ path: '/v1/traces', headers })
        bodies.push(answer.text)
        assert.equal(answer.status, 401)
      }
      assert.equal(new Set(bodies).size, 1)
    })

    test('a wrong method is answered with the allowed methods', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const answer = await send({ method: 'DELETE', path: '/v1/traces?x=1' })
      assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, POST'])
    })

    test('unknown fields are named by pointer, unknown parameters by name', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const body = '{"flagged":"yes","a/b":1}'
      const patched = await send({ method: 'PATCH', path: `/v1/traces/${NO_TRACE}`, headers: OWN, body })
      const found = patched
        .json()
        .errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
      assert.deepEqual(found.toSorted(), ['/a~1b unknown_field', '/flagged wrong_type'])
      const many = JSON.stringify({
        flagged: true,
        ...Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`f${i}`, 1])),
      })
      const long = JSON.stringify({ flagged: true, ['x'.repeat(100_000)]: 1 })
      for (const [hostile, count] of [
        [many, 20],
        [long, 1],
      ] as const) {
        const refused = await send({ method: 'PATCH', path: `/v1/traces/${NO_TRACE}`, headers: OWN, body: hostile })
        const { errors } = refused.json()
        assert.deepEqual([errors?.length, errors?.[0].code, refused.text.length < 5000], [count, 'unknown_field', true])
      }
      // Refused by the number of fields, before parsing: the rest need not be JSON.
      for (const wide of [`{${'"a":1,'.repeat(2000)}"a":nul}`, `{"flagged":[${'[],'.repeat(2000)}0]}`]) {
        const refused = await send({ method: 'PATCH', path: `/v1/traces/${NO_TRACE}`, headers: OWN, body: wide })
        const [first] = refused.json().errors
        assert.deepEqual([refused.status, first.code, first.pointer], [422, 'too_many', ''])
      }
      const listed = await send({ path: '/v1/traces?statuss=ok&limit=0', headers: OWN })
      assert.deepEqual(
        [listed.status, listed.json().errors[0].pointer, listed.json().errors[0].code],
        [422, '?statuss', 'unknown_field'],
      )
    })

    test('an unexpected error reveals only its request id', async () => {
      const { app, traces, logLines } = createHttpWorld()
      const send = await connect(app)
      traces.failure = new Error('the secret cause')
      const answer = await send({ method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"x"}' })
      assert.deepEqual([answer.status, answer.json().code], [500, 'internal_error'])
      assert.ok(!answer.text.includes('secret'))
      const logged = logLines.join('')
      assert.ok(logged.includes('the secret cause') && logged.includes(answer.json().request_id))
    })

    test('a stopping service refuses requests with Retry-After and is not ready', async () => {
      const { app, readiness } = createHttpWorld()
      const send = await connect(app)
      assert.deepEqual((await send({ path: '/readyz' })).json(), { status: 'ready', checks: [] })
      readiness.report('telemetry', 'not open')
      const notReady = await send({ path: '/readyz' })
      assert.equal(notReady.status, 503)
      const checks = [{ name: 'telemetry', ok: false, detail: 'not open' }]
      assert.deepEqual(notReady.json(), { status: 'unavailable', checks })
      readiness.beginStop()
      const answer = await send({ path: '/v1/traces', headers: OWN })
      assert.deepEqual([answer.status, answer.json().code, answer.headers['retry-after']], [503, 'shutting_down', '1'])
      assert.equal((await send({ path: '/healthz' })).status, 200)
    })

    test('serves metrics, the OpenAPI document and its page, which loads nothing from elsewhere', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      await send({ path: '/v1/traces', headers: OWN })
      const metrics = await send({ path: '/metrics' })
      assert.match(metrics.text, /spoor_http_requests_total\{route="\/v1\/traces",method="GET",status="200"\} 1/)
      assert.match(metrics.text, /spoor_store_size_bytes 12345/)
      assert.equal((await send({ path: '/openapi.json' })).json().openapi.slice(0, 3), '3.1')
      const page = await send({ path: '/docs' })
      assert.deepEqual([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
      assert.ok(!/https?:\/\//.test(page.text))
      assert.match(String(page.headers['content-security-policy']), /script-src 'self'/)
      const [, script] = /src="([^"]*swagger-ui-bundle\.js)"/.exec(page.text) ?? []
      assert.equal((await send({ path: script ?? '' })).status, 200)
      const initializer = await send({ path: '/docs/static/swagger-initializer.js' })
      assert.match(initializer.text, /"validatorUrl":\s*null/)
      // The page finds the document relative to its own URL, which must end in its path.
      for (const path of ['/docs?x', '/docs/?x=1']) {
        const withQuery = await send({ path })
        assert.deepEqual([withQuery.status, withQuery.headers['location']], [302, '/docs'], path)
      }
      // Its groups, collapsed.
      assert.match(initializer.text, /"docExpansion":\s*"none"/)
    })

    test('projects and keys: only an admin can access other projects', async () => {
      const { app, ownProject, foreignProject } = createHttpWorld()
      const send = await connect(app)
      const admin = { ...OWN, 'x-api-key': 'admin' }
      const list = async (headers: Record<string, string>) =>
        (await send({ path: '/v1/projects', headers })).json().projects
      assert.deepEqual(
        (await list(OWN)).map((project: { id: string }) => project.id),
        [ownProject],
      )
      assert.equal((await list(admin)).length, 2)
      const made = await send({ method: 'POST', path: '/v1/projects', headers: admin, body: '{"name":"third"}' })
      assert.deepEqual([made.status, made.json().name], [201, 'third'])
      assert.equal(
        (await send({ method: 'POST', path: '/v1/projects', headers: OWN, body: '{"name":"x"}' })).status,
        403,
      )

      const body = '{"name":"k","scopes":["read"],"expires_at":"2999-01-01T00:00:00Z"}'
      const key = await send({ method: 'POST', path: `/v1/projects/${ownProject}/keys`, headers: OWN, body })
      assert.deepEqual([key.status, key.json().expires_at], [201, '2999-01-01T00:00:00.000Z'])
      assert.equal((await send({ path: `/v1/projects/${ownProject}/keys`, headers: OWN })).json().keys.length, 1)
      assert.equal((await send({ path: `/v1/projects/${foreignProject}/keys`, headers: OWN })).status, 404)
      assert.equal((await send({ path: `/v1/projects/${foreignProject}/keys`, headers: admin })).status, 200)
      const gone = { method: 'DELETE', path: `/v1/projects/${ownProject}/keys/${key.json().id}` }
      assert.equal((await send({ ...gone, headers: { ...OWN, 'x-api-key': 'foreign' } })).status, 404)
      assert.equal((await send({ ...gone, headers: OWN })).status, 204)
      assert.equal((await send({ ...gone, headers: OWN })).status, 404)
    })
  })
}
