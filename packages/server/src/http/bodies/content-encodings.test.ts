import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { OPERATIONS } from '@spoor/contract/operations'
import type { Operation, RequestContent } from '@spoor/contract/operations/operation'
import { EXPORT_BYTES } from '@spoor/contract/otlp'
import { DomainError } from '../../lib/domain-error.ts'
import { FORM_TYPE, formBody } from '../test-world/form.test-support.ts'
import { createHttpWorld, type HttpWorldOptions } from '../test-world/http-world.test-support.ts'
import { TRANSPORTS } from '../test-world/transports.test-support.ts'

interface Sent {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly type: string
  readonly body: string
  readonly headers?: Record<string, string>
}

const EXPORT = '{"resourceSpans":[]}'
const EXPORTER = { 'user-agent': 'OTel-OTLP-Exporter-Python/1.27.0' }
const UPLOAD = formBody([
  { name: 'file', filename: 'a.txt', type: 'text/plain', content: 'a text' },
  { name: 'trace_id', content: `tr_${'0'.repeat(26)}` },
  { name: 'kind', content: 'file' },
])
/** Forms, and requests that take JSON or NDJSON and are no operations of the API. */
const OTHERS: readonly Sent[] = [
  ...['/v1/traces', '/otlp/v1/traces', '/api/public/otel/v1/traces'].map((path) => sent('export', path, EXPORT)),
  { ...sent('export in protobuf', '/v1/traces', ''), type: 'application/x-protobuf' },
  { ...sent('export by its sender', '/v1/traces', EXPORT), headers: EXPORTER },
  ...['/v1/logs', '/otlp/v1/logs'].map((path) => sent('log records', path, '{"resourceLogs":[]}')),
  { ...sent('upload', '/v1/media/upload', UPLOAD.toString('latin1')), type: FORM_TYPE },
  sent('mcp', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"ping"}'),
]

const COMPRESSIONS = { gzip: gzipSync, deflate: deflateSync, zstd: zstdCompressSync }

const REQUESTS = [...Object.entries<Operation>(OPERATIONS).flatMap(requestsOf), ...OTHERS]

function sent(what: string, path: string, body: string): Sent {
  return { what, method: 'POST', path, type: 'application/json', body }
}

function requestsOf([what, { method, path, request, pathParameters, admission }]: [string, Operation]): Sent[] {
  // Without a session its body is not read.
  if (request === undefined || admission === 'session') return []
  const contents: readonly RequestContent[] = [request, ...(request.alternatives ?? [])]
  const named = path.replace(/:(\w+)/g, (_, name: string) => {
    const { pattern = '' } = pathParameters!.properties[name] as { pattern?: string }
    return `${/^\^(\w+?_)/.exec(pattern)?.[1] ?? 'none_'}${'0'.repeat(26)}`
  })
  return contents
    .filter(({ contentType }) => /json/.test(contentType))
    .map(({ contentType: type, examples }) => {
      const body = JSON.stringify(Object.values(examples)[0]?.value ?? {})
      return { what: `${what} as ${type}`, method, path: named, type, body }
    })
}

async function world(options: HttpWorldOptions = {}, transport: 'memory' | 'socket' = 'memory') {
  const made = createHttpWorld(options)
  const sendRequest = await TRANSPORTS[transport]!(made.app)
  const send = ({ method, path, type, headers }: Sent, encoding: string | null, body: string | Buffer) =>
    sendRequest({
      method,
      path: path.replace(/proj_0+/, made.ownProject),
      headers: {
        ...headers,
        'x-api-key': 'admin',
        'content-type': type,
        ...(encoding === null ? {} : { 'content-encoding': encoding }),
      },
      body,
    })
  return { ...made, send }
}

/** It makes its receiver hold 128 MB. */
const WIDE = zstdCompressSync(Buffer.alloc(20_000_000), { params: { [constants.ZSTD_c_windowLog]: 27 } })
const cut = (bytes: Buffer) => bytes.subarray(0, -3)
const withoutSum = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(8)])

describe('every request that takes JSON, NDJSON or a form', () => {
  test('is answered the same when it is compressed', async () => {
    // One world for each encoding, which gets the same requests in the same order.
    const { send: sendPlain } = await world()
    const worlds = await Promise.all(
      Object.entries(COMPRESSIONS).map(async ([encoding, compress]) => {
        const { send } = await world()
        return { encoding, compress, send }
      }),
    )
    for (const request of REQUESTS) {
      const plain = await sendPlain(request, null, request.body)
      assert.notEqual(plain.status, 415, request.what)
      for (const { encoding, compress, send } of worlds) {
        const { status, text } = await send(request, encoding, compress(request.body))
        assert.deepEqual([status, text.length], [plain.status, plain.text.length], `${request.what} ${encoding}`)
      }
    }
  })

  test('is refused in other encodings and types before it is decompressed', async () => {
    const { send } = await world()
    for (const request of REQUESTS) {
      for (const encoding of ['br', 'compress', 'gzip, gzip', 'gzip, identity', '', 'constructor']) {
        const { status, text } = await send(request, encoding, 'not compressed')
        assert.deepEqual(
          [status, text.includes('gzip, deflate or zstd')],
          [415, true],
          `${request.what} ${encoding} ${text}`,
        )
      }
      if (request.path === '/mcp') continue // The library of the protocol says what type it takes.
      assert.equal((await send({ ...request, type: 'text/plain' }, 'gzip', 'not compressed')).status, 415, request.what)
    }
  })

  test('is refused if it cannot be decompressed', async () => {
    const { send, traces } = await world()
    // A trace that is appended to must exist: below.
    for (const request of REQUESTS.filter(({ path }) => !path.endsWith('/steps'))) {
      for (const [encoding, compress] of Object.entries(COMPRESSIONS)) {
        const { status, text } = await send(request, encoding, cut(compress(request.body)))
        assert.deepEqual([status, text.includes('cannot be decompressed')], [400, true], `${request.what} ${text}`)
      }
    }
    assert.equal(traces.exports.length, 0)
  })
})

test('names of encodings have any case, and files of gzip any number of members', async () => {
  const { send } = await world()
  const bytes = Buffer.from('{"name":"a"}')
  const trace = sent('', '/v1/traces', '')
  for (const [encoding, body, status] of [
    ['Identity', bytes, 202],
    [' GZIP', gzipSync(bytes), 202],
    ['x-gzip', gzipSync(bytes), 202],
    ['deflate', deflateSync(bytes), 202],
    ['gzip', Buffer.concat([gzipSync(bytes.subarray(0, 5)), gzipSync(bytes.subarray(5))]), 202],
    ['gzip', gzipSync(gzipSync(bytes)), 400],
    ['gzip', bytes, 400],
    ['gzip', '', 400],
    ['gzip', withoutSum(gzipSync(bytes)), 400],
    ['gzip', Buffer.concat([gzipSync(bytes), Buffer.from('more')]), 400],
    ['deflate', Buffer.concat([deflateSync(bytes), Buffer.from('more')]), 400],
    ['zstd', zstdCompressSync(bytes), 202],
    ['zstd', bytes, 400],
    ['zstd', '', 400],
    ['zstd', Buffer.concat([zstdCompressSync(bytes), zstdCompressSync(bytes)]), 400],
    ['zstd', WIDE, 400],
  ] as const) {
    const answer = await send(trace, encoding, body)
    assert.equal(answer.status, status, `${encoding} ${answer.text}`)
  }
})

const FULL = new DomainError('queue_full', 'full', { retryAfterSeconds: 1 })
const BLANK = Buffer.alloc(EXPORT_BYTES + 1, ' ')
const BOMBS = { gzip: gzipSync(BLANK, { level: 1 }), deflate: deflateSync(BLANK), zstd: zstdCompressSync(BLANK) }
const WHOLE = REQUESTS.filter(({ type }) => !/ndjson|form-data/.test(type))

describe('a body that is too large after decompression', () => {
  test('is 413, whatever else the service does', async () => {
    const { send, traces, budget } = await world({}, 'socket')
    const bombs = Object.entries(BOMBS)
    const sendAll = async (when: string, first: number) => {
      const before = budget.usedBytes
      for (const [at, request] of WHOLE.entries()) {
        const [encoding, bomb] = bombs[(first + at) % bombs.length]!
        const { status, text } = await send(request, encoding, bomb)
        assert.equal(status, 413, `${when}: ${request.what} ${encoding} ${text}`)
      }
      assert.equal(budget.usedBytes, before)
    }
    // Each request meets each encoding and each state of the service, and each encoding meets each state: gigabytes.
    await sendAll('alone', 0)
    const others = budget.account('others')
    while (others.tryTake(64 * 1024));
    await sendAll('with little memory', 1)
    traces.intakeRefusal = FULL
    await sendAll('with a full queue', 2)
  })

  test('one that is not too large is 503 with a full queue or without memory', async () => {
    const { send, traces } = await world({ budgetBytes: 1000 })
    const request = WHOLE[0] as Sent
    assert.equal((await send(request, 'gzip', gzipSync(request.body))).status, 503)
    traces.intakeRefusal = FULL
    const full = await send(request, 'gzip', gzipSync(request.body))
    assert.deepEqual([full.status, full.headers['retry-after']], [503, '1'])
  })

  test('an export in JSON by its sender waits for room like one in protobuf', async () => {
    const { send, traces } = await world({ budgetBytes: 1000 })
    const request = REQUESTS.find(({ what }) => what === 'export by its sender') as Sent
    assert.equal((await send(request, 'gzip', gzipSync(EXPORT))).status, 200)
    assert.equal(traces.exports.length, 1)
  })
})

test('compressed bytes from which nothing comes out are bounded too', async () => {
  const { app, limits } = createHttpWorld()
  const empty = gzipSync('')
  const body = Buffer.concat(Array.from({ length: limits.controlBodyBytes / empty.length + 1 }, () => empty))
  const send = await TRANSPORTS['socket']!(app)
  const headers = { 'x-api-key': 'own', 'content-type': 'application/json', 'content-encoding': 'gzip' }
  for (const length of [{}, { 'transfer-encoding': 'chunked' }]) {
    const answer = await send({ method: 'POST', path: '/v1/metrics', headers: { ...headers, ...length }, body })
    assert.equal(answer.status, 413)
  }
})

test('lines before the place where a compressed stream breaks are kept', async () => {
  const { app } = createHttpWorld()
  const send = await TRANSPORTS['socket']!(app)
  const own = { 'x-api-key': 'own' }
  const json = { ...own, 'content-type': 'application/json' }
  const { id } = (await send({ method: 'POST', path: '/v1/traces', headers: json, body: '{"name":"a"}' })).json()
  const lines = gzipSync('{"type":"user"}\n{"type":"user"}\n{"type":"us')
  const answer = await send({
    method: 'POST',
    path: `/v1/traces/${id}/steps`,
    headers: { ...own, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
    body: cut(lines),
  })
  assert.equal(answer.status, 207, answer.text)
  assert.deepEqual(
    answer.json().results.map(({ line, status, code }: Record<string, unknown>) => [line, status, code]),
    [
      [1, 'created', undefined],
      [2, 'created', undefined],
      [3, 'error', 'bad_request'],
    ],
  )
})
