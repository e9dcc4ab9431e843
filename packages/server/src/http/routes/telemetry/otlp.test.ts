import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deflateSync, gzipSync } from 'node:zlib'
import { EXPORT_BYTES } from '@spoor/contract/otlp'
import { DomainError } from '../../../lib/domain-error.ts'
import { exportJson, logsJson, spanId, toProtobuf } from '../../../traces/otlp/spans.test-support.ts'
import { FORM_TYPE, formBody } from '../../test-world/form.test-support.ts'
import { createHttpWorld } from '../../test-world/http-world.test-support.ts'
import { type TestRequest, TRANSPORTS } from '../../test-world/transports.test-support.ts'

const KEY = { 'x-api-key': 'own' }
const PROTOBUF = { ...KEY, 'content-type': 'application/x-protobuf' }
const JSON_TYPE = { ...KEY, 'content-type': 'application/json' }
const EXPORTER = { 'user-agent': 'OTel-OTLP-Exporter-JavaScript/0.301.1' }
const PATHS = ['/v1/traces', '/otlp/v1/traces', '/api/public/otel/v1/traces', '/otel/v1/traces']

const json = exportJson([{ name: 'a' }, { name: 'b', spanId: spanId(2) }])
const text = JSON.stringify(json)
const binary = toProtobuf(json)
const badSpan = exportJson([{ name: 'good' }, { name: 'bad', spanId: 'ab' }])

const post = (path: string, headers: Record<string, string>, body: string | Buffer): TestRequest => ({
  method: 'POST',
  path,
  headers,
  body,
})

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`exports of OpenTelemetry over ${name}`, () => {
    test('every path takes both encodings, plain and compressed, and answers 200 in the encoding of the request', async () => {
      const { app, traces } = createHttpWorld()
      const send = await connect(app)
      for (const path of PATHS) {
        for (const [encoding, compress] of [
          ['', (body: Buffer | string) => Buffer.from(body)],
          ['identity', (body: Buffer | string) => Buffer.from(body)],
          ['gzip', gzipSync],
          ['deflate', deflateSync],
        ] as const) {
          const encoded = encoding === '' ? {} : { 'content-encoding': encoding }
          const inProtobuf = await send(post(path, { ...PROTOBUF, ...encoded }, compress(binary)))
          assert.deepEqual([inProtobuf.status, inProtobuf.text], [200, ''], `${path} ${encoding}`)
          assert.equal(inProtobuf.headers['content-type'], 'application/x-protobuf')
          assert.deepEqual(traces.exports.at(-1)?.body, binary)
          const inJson = await send(post(path, { ...JSON_TYPE, ...encoded }, compress(text)))
          assert.deepEqual([inJson.status, inJson.text], [200, '{}'], `${path} ${encoding}`)
          assert.match(String(inJson.headers['content-type']), /^application\/json/)
          assert.deepEqual(traces.exports.at(-1)?.body.toString(), text)
        }
      }
    })

    test('the key is in x-api-key, Bearer, Basic or alone in Authorization; no other route takes the last two', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const basic = { authorization: `Basic ${Buffer.from('pk-lf-any:own').toString('base64')}` }
      const type = { 'content-type': 'application/x-protobuf' }
      for (const path of PATHS) {
        assert.equal((await send(post(path, { ...type, authorization: 'Bearer own' }, binary))).status, 200)
        assert.equal((await send(post(path, { ...type, ...basic }, binary))).status, 200)
        for (const [authorization, status] of [
          ['own', 200],
          ['wrong', 401],
          ['own own', 401],
          [`Basic ${Buffer.from('own:').toString('base64')}`, 200],
          [`Basic ${Buffer.from('own').toString('base64')}`, 200],
          [`Basic ${Buffer.from('own:wrong').toString('base64')}`, 401],
        ] as const) {
          assert.equal((await send(post(path, { ...type, authorization }, binary))).status, status, authorization)
        }
        // With a key in a header of its own, Basic is for a proxy.
        const forProxy = { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }
        assert.equal((await send(post(path, { ...type, ...KEY, ...forProxy }, binary))).status, 200)
        assert.equal((await send(post(path, { ...type, ...forProxy }, binary))).status, 401)
        assert.equal((await send(post(path, { ...type, authorization: 'Basic !' }, binary))).status, 401)
        assert.equal((await send(post(path, { ...type, 'x-api-key': 'reader' }, binary))).status, 403)
      }
      for (const headers of [basic, { authorization: 'own' }])
        assert.equal((await send({ path: '/v1/traces', headers })).status, 401)
    })

    test('an error is a google.rpc.Status in the encoding of the request', async () => {
      const { app, traces } = createHttpWorld()
      const send = await connect(app)
      for (const path of PATHS) {
        const inJson = await send(post(path, { ...JSON_TYPE, ...EXPORTER, 'x-api-key': 'wrong' }, text))
        assert.equal(inJson.status, 401)
        assert.deepEqual([inJson.json().code, Object.keys(inJson.json())], [16, ['code', 'message']])
        const inProtobuf = await send(post(path, { ...PROTOBUF, 'x-api-key': 'wrong' }, binary))
        assert.deepEqual([inProtobuf.status, inProtobuf.headers['content-type']], [401, 'application/x-protobuf'])
        assert.ok(inProtobuf.text.startsWith('\u0008\u0010\u0012'))
        assert.match(inProtobuf.text, /unauthorized: /)

        assert.equal((await send(post(path, PROTOBUF, Buffer.from([0x0a, 0xff])))).status, 400)
        assert.equal((await send(post(path, { ...JSON_TYPE, ...EXPORTER }, '{"resourceSpans":7}'))).status, 400)
        assert.equal((await send(post(path, { ...PROTOBUF, 'content-encoding': 'gzip' }, 'no gzip'))).status, 400)
        const cut = gzipSync(binary).subarray(0, 40)
        assert.equal((await send(post(path, { ...PROTOBUF, 'content-encoding': 'gzip' }, cut))).status, 400)
        assert.equal((await send(post(path, { ...PROTOBUF, 'content-encoding': 'br' }, binary))).status, 415)

        traces.failure = new DomainError('disk_full', 'full', { retryAfterSeconds: 30 })
        const full = await send(post(path, PROTOBUF, binary))
        assert.deepEqual([full.status, full.headers['retry-after']], [503, '1'])
        traces.failure = null
      }
      assert.equal((await send(post('/otlp/v1/traces', { ...KEY, 'content-type': 'text/plain' }, text))).status, 415)
    })

    test('the limit counts after decompression, which stops there', async () => {
      const { app, traces, budget } = createHttpWorld({ budgetBytes: 1024 * 1024 })
      const send = await connect(app)
      const bomb = gzipSync(Buffer.alloc(EXPORT_BYTES + 1))
      assert.ok(bomb.length < 128 * 1024)
      const refused = await send(post('/v1/traces', { ...PROTOBUF, 'content-encoding': 'gzip' }, bomb))
      assert.equal(refused.status, 413)
      assert.deepEqual([traces.exports.length, budget.usedBytes], [0, 0])
    })

    test('a refused span is named in partial_success, the others are taken', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const reason = 'the span id must have 8 bytes, not all zero'
      const inJson = await send(post('/v1/traces', JSON_TYPE, JSON.stringify(badSpan)))
      assert.equal(inJson.status, 200)
      assert.deepEqual(inJson.json(), { partialSuccess: { rejectedSpans: '1', errorMessage: reason } })
      const inProtobuf = await send(post('/v1/traces', PROTOBUF, toProtobuf(badSpan)))
      assert.equal(inProtobuf.status, 200)
      const inner = `\u0008\u0001\u0012${String.fromCharCode(reason.length)}${reason}`
      assert.equal(inProtobuf.text, `\n${String.fromCharCode(inner.length)}${inner}`)
    })

    test('JSON at /v1/traces is an export if and only if resourceSpans is a field of it', async () => {
      const { app, traces } = createHttpWorld()
      const send = await connect(app)
      const own = await send(post('/v1/traces', JSON_TYPE, '{"name":"resourceSpans","metadata":{"resourceSpans":[]}}'))
      assert.equal(own.status, 202)
      const both = await send(post('/v1/traces', JSON_TYPE, '{"name":"a","resourceSpans":[]}'))
      assert.equal(both.status, 400, both.text)
      assert.equal((await send(post('/v1/traces', JSON_TYPE, '{"resource_spans":[]}'))).status, 200)
      assert.equal(traces.exports.length, 1)
      const empty = await send(post('/v1/traces', { ...JSON_TYPE, ...EXPORTER }, ' {} '))
      assert.deepEqual([empty.status, empty.text], [200, '{}'])
      assert.equal((await send(post('/v1/traces', JSON_TYPE, '{}'))).status, 202, 'of our own; the fake takes it')
    })

    test('log records are taken at every path, and those refused are counted', async () => {
      const { app, traces } = createHttpWorld()
      const send = await connect(app)
      const records = [{ name: 'gen_ai.user.message', body: { content: 'Hi' } }, { name: 'http.request' }]
      const [good, partly] = [logsJson(records.slice(0, 1)), logsJson(records)]
      for (const base of ['', '/otlp', '/api/public/otel', '/otel']) {
        const path = `${base}/v1/logs`
        const inProtobuf = await send(post(path, PROTOBUF, toProtobuf(good)))
        assert.deepEqual([inProtobuf.status, inProtobuf.text], [200, ''])
        assert.equal(traces.exports.at(-1)?.encoding, 'protobuf logs')
        assert.match((await send(post(path, PROTOBUF, toProtobuf(partly)))).text, /not http\.request/)
        const inJson = await send(post(path, JSON_TYPE, JSON.stringify(partly)))
        const { rejectedLogRecords, errorMessage } = inJson.json().partialSuccess
        assert.deepEqual([inJson.status, rejectedLogRecords], [200, '1'])
        assert.match(errorMessage, /not http\.request/)
        assert.equal((await send(post(path, PROTOBUF, Buffer.from([0x0a, 0xff])))).status, 400)
        assert.equal((await send(post(path, { ...PROTOBUF, 'x-api-key': 'reader' }, toProtobuf(good)))).status, 403)
      }
    })

    test('metrics are answered 200 and not stored; a project is told once', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const first = await send(post('/v1/metrics', PROTOBUF, 'any'))
      assert.deepEqual([first.status, first.text.includes('Spoor does not store metrics')], [200, true])
      for (const base of ['', '/otlp', '/api/public/otel', '/otel']) {
        const inProtobuf = await send(post(`${base}/v1/metrics`, PROTOBUF, 'any'))
        assert.deepEqual([inProtobuf.status, inProtobuf.text], [200, ''])
        const inJson = await send(post(`${base}/v1/metrics`, { ...JSON_TYPE, ...EXPORTER }, '{}'))
        assert.deepEqual([inJson.status, inJson.text], [200, '{}'])
      }
      const other = await send(post('/otlp/v1/metrics', { ...JSON_TYPE, 'x-api-key': 'foreign' }, '{}'))
      assert.match(other.json().partialSuccess.errorMessage, /Spoor does not store metrics/)
      const own = await send(post('/v1/metrics', JSON_TYPE, '{"name":"reward","kind":"numeric"}'))
      assert.equal(own.status, 201)
    })

    test('the id of OpenTelemetry names a trace in every path', async () => {
      const { app, traces } = createHttpWorld()
      const send = await connect(app)
      const made = await send(post('/v1/traces', JSON_TYPE, '{"name":"a","steps":[{"name":"s"}]}'))
      const { id } = made.json()
      const hex = '0af7651916cd43dd8448eb211c80319c'
      traces.otelTraces.set(hex, id)
      for (const named of [hex, hex.toUpperCase(), '0af76519-16cd-43dd-8448-eb211c80319c']) {
        const read = await send({ path: `/v1/traces/${named}`, headers: KEY })
        assert.deepEqual([read.status, read.json().id], [200, id])
        assert.equal((await send({ path: `/v1/traces/${named}/steps`, headers: KEY })).status, 200)
        const patch = { method: 'PATCH', path: `/v1/traces/${named}`, headers: JSON_TYPE, body: '{"flagged":true}' }
        assert.equal((await send(patch)).status, 200)
        const lines = { ...KEY, 'content-type': 'application/x-ndjson' }
        assert.equal((await send(post(`/v1/traces/${named}/steps`, lines, '{"name":"b"}\n'))).status, 200)
      }
      assert.equal((await send({ path: `/v1/traces/${'f'.repeat(32)}`, headers: KEY })).status, 404)
      assert.equal((await send({ method: 'DELETE', path: `/v1/traces/${hex}`, headers: KEY })).status, 204)
      assert.equal((await send({ path: `/v1/traces/${id}`, headers: KEY })).status, 404)
    })

    test('the id of OpenTelemetry names a trace in forms, queries and bodies', async () => {
      const { app, traces } = createHttpWorld()
      const send = await connect(app)
      const { id } = (await send(post('/v1/traces', JSON_TYPE, '{"name":"a","steps":[{"name":"s"}]}'))).json()
      const hex = '0af7651916cd43dd8448eb211c80319c'
      const unknown = 'f'.repeat(32)
      traces.otelTraces.set(hex, id)

      const upload = (traceId: string) => {
        const file = { name: 'file', filename: 'a.txt', type: 'text/plain', content: 'a text' }
        const body = formBody([file, { name: 'trace_id', content: traceId }, { name: 'kind', content: 'file' }])
        return send(post('/v1/media/upload', { ...KEY, 'content-type': FORM_TYPE }, body))
      }
      const uploaded = await upload(hex)
      assert.deepEqual([uploaded.status, uploaded.json().trace_id], [201, id])
      const refused = await upload(unknown)
      assert.deepEqual([refused.status, refused.json().errors[0].pointer], [404, '/trace_id'])

      const signed = `kind=file&content_type=text/plain&size_bytes=1&sha256=${'a'.repeat(64)}`
      const sign = (traceId: string) =>
        send({ path: `/v1/media/signed-url?trace_id=${traceId}&${signed}`, headers: KEY })
      assert.deepEqual([(await sign(hex)).status, (await sign(unknown)).status], [200, 404])

      assert.equal((await send(post('/v1/metrics', JSON_TYPE, '{"name":"solved","kind":"boolean"}'))).status, 201)
      const event = (traceId: string) => JSON.stringify({ name: 'solved', trace_id: traceId, passed: true })
      const single = await send(post('/v1/metrics/events', JSON_TYPE, event(hex)))
      assert.deepEqual([single.status, single.json().trace_id], [201, id])
      assert.equal((await send(post('/v1/metrics/events', JSON_TYPE, event(unknown)))).status, 422)
      const lines = { ...KEY, 'content-type': 'application/x-ndjson' }
      const body = [hex, unknown, hex.toUpperCase()].map((one) => `${event(one)}\n`).join('')
      const { results } = (await send(post('/v1/metrics/events', lines, body))).json()
      assert.deepEqual(
        results.map(({ status }: { status: string }) => status),
        ['created', 'error', 'created'],
      )
      const list = async (traceId: string) =>
        (await send({ path: `/v1/metrics/events?trace_id=${traceId}`, headers: KEY })).json().events.length
      assert.deepEqual([await list(hex), await list(id), await list(unknown)], [3, 3, 0])
    })
  })
}
