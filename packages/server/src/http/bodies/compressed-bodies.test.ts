import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deflateSync, gzipSync } from 'node:zlib'
import { OPERATIONS } from '@spoor/contract/operations'
import type { Operation } from '@spoor/contract/operations/operation'
import { DomainError } from '../../lib/domain-error.ts'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { type Send, TRANSPORTS } from '../test-world/transports.test-support.ts'

const KEY = { 'x-api-key': 'own' }
const JSON_TYPE = { ...KEY, 'content-type': 'application/json' }
const LINES = { ...KEY, 'content-type': 'application/x-ndjson' }
const GZIP = { 'content-encoding': 'gzip' }
const MIB = 1024 * 1024
const BUSY = new DomainError('queue_full', 'busy', { retryAfterSeconds: 1 })

/** Each operation that takes JSON or lines, with each of these content types. */
const TEXTS = Object.values(OPERATIONS as Readonly<Record<string, Operation>>).flatMap(({ method, path, request }) =>
  request === undefined
    ? []
    : [request, ...(request.alternatives ?? [])]
        .filter(({ contentType }) => contentType.endsWith('json'))
        .map(({ contentType }) => ({ method, path: path.replace(/:\w+/g, 'x'), contentType })),
)

const post = (send: Send, path: string, headers: Record<string, string>, body: Buffer | string) =>
  send({ method: 'POST', path, headers, body })

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`compressed bodies over ${name}`, () => {
    test('every route that takes JSON or lines takes them compressed, and names what it takes', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      assert.ok(TEXTS.length > 20)
      for (const { method, path, contentType } of TEXTS) {
        const answerTo = (encoding: string, body: Buffer) =>
          send({ method, path, headers: { ...KEY, 'content-type': contentType, 'content-encoding': encoding }, body })
        const plain = (await answerTo('identity', Buffer.from('{}'))).status
        assert.notEqual(plain, 415, path)
        for (const encoding of ['gzip', 'GZIP', 'x-gzip'])
          assert.equal((await answerTo(encoding, gzipSync('{}'))).status, plain, `${path} ${encoding}`)
        assert.equal((await answerTo('deflate', deflateSync('{}'))).status, plain, path)
      }
      for (const encoding of ['br', 'zstd', 'gzip, gzip', 'toString']) {
        const refused = await post(send, '/v1/traces', { ...JSON_TYPE, 'content-encoding': encoding }, '{}')
        assert.equal(refused.status, 415)
        assert.match(refused.json().detail, /must be gzip or deflate/)
      }
    })

    test('what cannot be decompressed is refused whole', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const good = gzipSync('{"name":"a"}')
      const wrongSum = Buffer.from(good)
      wrongSum.writeUInt32LE(7, good.length - 8)
      const bad = {
        'not gzip': 'no gzip',
        cut: good.subarray(0, -4),
        'followed by other bytes': Buffer.concat([good, Buffer.from('more')]),
        'of a wrong sum': wrongSum,
        empty: '',
      }
      for (const [what, body] of Object.entries(bad)) {
        const answer = await post(send, '/v1/traces', { ...JSON_TYPE, ...GZIP }, body)
        assert.equal(answer.status, 400, `${what}: ${answer.text}`)
      }
      assert.deepEqual((await send({ path: '/v1/traces', headers: KEY })).json().traces, [])
      const members = Buffer.concat([gzipSync('{"name":'), gzipSync('"a"}')])
      assert.equal((await post(send, '/v1/traces', { ...JSON_TYPE, ...GZIP }, members)).status, 202)
    })

    test('a body that is too large is 413 whatever else the service does; one that is not waits for room', async () => {
      const large = gzipSync(Buffer.alloc(17 * MIB, ' '))
      const fitting = gzipSync(`{"name":"${'a'.repeat(MIB)}"}`)
      const small = [createHttpWorld({ budgetBytes: 100_000 }), createHttpWorld({ budgetBytes: 1 })]
      const busy = createHttpWorld()
      busy.traces.intakeRefusal = BUSY
      for (const world of [createHttpWorld(), busy, ...small]) {
        const send = await connect(world.app)
        const compressed = { ...JSON_TYPE, ...GZIP }
        assert.equal((await post(send, '/v1/traces', compressed, large)).status, 413)
        assert.equal((await post(send, '/v1/metrics', compressed, large)).status, 413)
        const expected = world === busy ? 503 : 202
        if (!small.includes(world)) assert.equal((await post(send, '/v1/traces', compressed, fitting)).status, expected)
        assert.equal(world.budget.usedBytes, 0)
      }
    })

    test('lines are written as they are decompressed; those before a fault are kept', async () => {
      const { app, traces } = createHttpWorld()
      const send = await connect(app)
      const { id } = (await post(send, '/v1/traces', JSON_TYPE, '{"name":"a"}')).json()
      const path = `/v1/traces/${id}/steps`
      const whole = await post(send, path, { ...LINES, ...GZIP }, gzipSync('{"name":"a"}\n{"name":"b"}\n'))
      assert.deepEqual([whole.status, whole.json().results.length], [200, 2])
      const cut = gzipSync('{"name":"c"}\n').subarray(0, -4)
      const answer = await post(send, path, { ...LINES, ...GZIP }, cut)
      assert.deepEqual([answer.status, answer.json().results.at(-1).code], [207, 'bad_request'])
      assert.equal(traces.stepCount(id as never), 3)
    })
  })
}
