import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2'
import { after, test } from 'node:test'
import { deflateSync, gzipSync } from 'node:zlib'
import { EXPORT_BYTES } from '@spoor/contract/otlp'
import { DomainError } from '../../../lib/domain-error.ts'
import { ManualTimers } from '../../../lib/time/manual-timers.test-support.ts'
import { exportJson, logsJson, spanId, toProtobuf } from '../../../traces/otlp/spans.test-support.ts'
import { encodeExportResponse } from '../../../traces/otlp/wire/encode-answer.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { createHttpWorld, type HttpWorldOptions } from '../../test-world/http-world.test-support.ts'
import { framed } from './grpc-message.ts'
import { startGrpcServer } from './grpc-server.ts'
import { percentEncoded } from './grpc-status.ts'

const SERVICE = '/opentelemetry.proto.collector'
const EXPORT = `${SERVICE}.trace.v1.TraceService/Export`
const [OK, DEADLINE_EXCEEDED, PERMISSION_DENIED, INVALID_ARGUMENT] = [0, 4, 7, 3]
const [UNIMPLEMENTED, INTERNAL, UNAVAILABLE, UNAUTHENTICATED] = [12, 13, 14, 16]

const binary = toProtobuf(exportJson([{ name: 'a' }, { name: 'b', spanId: spanId(2) }]))

interface Answer {
  readonly status: number
  readonly message: string
  /** Of `grpc-status-details-bin`. */
  readonly details: string
  readonly headers: IncomingHttpHeaders
  /** Its bytes without the prefix. */
  readonly body: Buffer
}

interface Sent {
  readonly path?: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly bytes?: Buffer
}

async function grpcWorld(options?: HttpWorldOptions, ofNode: Pick<HttpDependencies, 'hold'> = {}) {
  const world = createHttpWorld(options)
  const server = await startGrpcServer({ ...world.dependencies, ...ofNode }, { host: '127.0.0.1', port: 0 })
  server.open()
  const session = connect(`http://127.0.0.1:${server.port}`)
  session.on('error', () => undefined)
  after(async () => {
    session.destroy()
    await server.close(0)
    await world.app.close()
  })
  return { ...world, server, session, call: (sent: Sent) => call(session, sent) }
}

async function call(session: ClientHttp2Session, { path = EXPORT, metadata, bytes }: Sent): Promise<Answer> {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(metadata ?? { 'x-api-key': 'own' }),
  })
  let headers: IncomingHttpHeaders = {}
  let trailers: IncomingHttpHeaders = {}
  const chunks: Buffer[] = []
  stream.on('response', (received) => (headers = received)).on('trailers', (received) => (trailers = received))
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.end(bytes ?? framed(binary))
  await once(stream, 'close')
  const all = { ...headers, ...trailers }
  return {
    status: Number(all['grpc-status']),
    message: decodeURIComponent(String(all['grpc-message'] ?? '')),
    details: Buffer.from(String(all['grpc-status-details-bin'] ?? ''), 'base64').toString('latin1'),
    headers,
    body: Buffer.concat(chunks).subarray(5),
  }
}

/** A message with the flag that says it is compressed. */
function compressed(message: Buffer): Buffer {
  const bytes = framed(message)
  bytes[0] = 1
  return bytes
}

test('an export is taken, plain and compressed, and answered OK', async () => {
  const { call: send, traces, ownProject } = await grpcWorld()
  for (const [encoding, bytes] of [
    [null, framed(binary)],
    ['identity', framed(binary)],
    ['gzip', compressed(gzipSync(binary))],
    ['gzip', framed(binary)],
    ['deflate', compressed(deflateSync(binary))],
  ] as const) {
    const metadata = { 'x-api-key': 'own', ...(encoding === null ? {} : { 'grpc-encoding': encoding }) }
    const answer = await send({ metadata, bytes })
    assert.deepEqual([answer.status, answer.body.length], [OK, 0], `${encoding}: ${answer.message}`)
    assert.match(answer.headers['content-type'] ?? '', /^application\/grpc/)
    const { projectId, body, encoding: read } = traces.exports.at(-1)!
    assert.deepEqual([projectId, read, body], [ownProject, 'protobuf', binary])
  }
})

test('the key is in x-api-key, Bearer, or the password of Basic, and needs the scope ingest', async () => {
  const { call: send, traces } = await grpcWorld()
  const basic = (secret: string) => `Basic ${Buffer.from(`pk-lf-any:${secret}`).toString('base64')}`
  for (const [metadata, expected] of [
    [{ 'x-api-key': 'writer' }, OK],
    [{ authorization: 'Bearer own' }, OK],
    [{ authorization: basic('own') }, OK],
    [{ authorization: basic('wrong') }, UNAUTHENTICATED],
    [{ 'x-api-key': 'wrong' }, UNAUTHENTICATED],
    [{}, UNAUTHENTICATED],
    [{ cookie: 'spoor_session=any' }, UNAUTHENTICATED],
    [{ 'x-api-key': 'reader' }, PERMISSION_DENIED],
    [{ 'x-api-key': 'own', authorization: 'Bearer other' }, INVALID_ARGUMENT],
  ] as const) {
    const { status, message, details } = await send({ metadata })
    assert.equal(status, expected, JSON.stringify(metadata))
    if (expected === UNAUTHENTICATED) assert.match(message, /^unauthorized: /)
    assert.doesNotMatch(details, /RetryInfo/)
  }
  assert.equal(traces.exports.length, 3)
})

test('refused calls are in the audit log, under the key if it is known', async () => {
  const { call: send, dependencies, access, ownProject } = await grpcWorld()
  for (const key of ['reader', 'wrong', 'wrong', 'own']) await send({ metadata: { 'x-api-key': key } })
  const all = { action: null, actorId: null, targetId: null, startTime: null, endTime: null }
  const filters = { ...all, projectId: ownProject, alsoOfNone: true }
  const { items } = await dependencies.audit.list(filters, { limit: 10, cursor: null })
  const found = items.map(({ action, actor, target, detail }) => [action, actor, target.id, detail['status']])
  const reader = { kind: 'key', id: access.keys.get('reader')?.keyId }
  assert.deepEqual(found, [
    ['access.refused', { kind: 'unknown', id: null }, `POST ${EXPORT}`, 401],
    ['access.refused', reader, `POST ${EXPORT}`, 403],
  ])
})

test('overload, a full disk and a stop are UNAVAILABLE with a time to try again', async () => {
  const { call: send, traces, readiness } = await grpcWorld()
  const full = new DomainError('disk_full', 'Voll: 100 %.', { retryAfterSeconds: 30 })
  for (const [refuse, code] of [
    [() => (traces.failure = full), 'disk_full'],
    [() => (traces.intakeRefusal = new DomainError('queue_full', 'full')), 'queue_full'],
    [() => readiness.beginStop(), 'shutting_down'],
  ] as const) {
    refuse()
    const { status, message, details } = await send({})
    assert.deepEqual([status, message.split(':')[0]], [UNAVAILABLE, code])
    // RetryInfo with a Duration of 1 s.
    assert.ok(details.endsWith('type.googleapis.com/google.rpc.RetryInfo\u0012\u0004\n\u0002\u0008\u0001'), details)
    traces.failure = traces.intakeRefusal = null
  }
})

test('a key beyond its limits is UNAVAILABLE until the time that it used has passed', async () => {
  const timers = new ManualTimers()
  const { call: send, access, instruments } = await grpcWorld({ timers })
  const own = access.keys.get('own')!
  access.keys.set('own', { ...own, keyLimits: { requestsPerSecond: 1, bytesPerSecond: null } })
  assert.equal((await send({})).status, OK)
  const refused = await send({})
  assert.deepEqual([refused.status, refused.message.split(':')[0]], [UNAVAILABLE, 'rate_limited'])
  assert.match(refused.details, /RetryInfo/)
  timers.advance(1000)
  assert.equal((await send({})).status, OK)
  access.keys.set('own', { ...own, keyLimits: { requestsPerSecond: null, bytesPerSecond: binary.length } })
  assert.equal((await send({})).status, OK)
  assert.equal((await send({})).status, UNAVAILABLE)
  assert.equal((await send({ metadata: { 'x-api-key': 'writer' } })).status, OK)
  timers.advance(2000)
  assert.equal((await send({})).status, OK)
  const text = await instruments.print()
  for (const limit of ['requests', 'bytes'])
    assert.match(text, new RegExp(`spoor_requests_limited_total\\{key="${own.keyId}",limit="${limit}"\\} 1`))
})

test('a bomb is INVALID_ARGUMENT with a full queue too', async () => {
  const { call: send, traces } = await grpcWorld()
  traces.intakeRefusal = new DomainError('queue_full', 'full')
  const bytes = compressed(gzipSync(Buffer.alloc(EXPORT_BYTES + 1)))
  const { status, message } = await send({ metadata: { 'x-api-key': 'own', 'grpc-encoding': 'gzip' }, bytes })
  assert.deepEqual([status, message.split(':')[0]], [INVALID_ARGUMENT, 'payload_too_large'])
})

test('a message that the budget cannot hold is taken', async () => {
  const { call: send, traces, server } = await grpcWorld({ budgetBytes: 100 })
  const large = Buffer.concat(Array<Buffer>(1000).fill(binary))
  assert.equal((await send({ bytes: framed(large) })).status, 0)
  assert.equal(traces.exports.at(-1)?.body.length, large.length)
  await server.close(0)
})

test('before the service is open, calls are UNAVAILABLE', async () => {
  const { app, dependencies, traces } = createHttpWorld()
  const server = await startGrpcServer(dependencies, { host: '127.0.0.1', port: 0 })
  const session = connect(`http://127.0.0.1:${server.port}`)
  const { status, message } = await call(session, {})
  assert.deepEqual([status, traces.exports.length], [UNAVAILABLE, 0])
  assert.match(message, /^starting: /)
  session.destroy()
  await server.close(0)
  await app.close()
})

test('bad input is INVALID_ARGUMENT, which exporters do not repeat', async () => {
  const { call: send, traces, budget } = await grpcWorld({ budgetBytes: 256 * 1024 * 1024 })
  const gzip = { 'x-api-key': 'own', 'grpc-encoding': 'gzip' }
  const cut = gzipSync(binary).subarray(0, 40)
  const bomb = gzipSync(Buffer.alloc(EXPORT_BYTES + 1))
  const tooLong = Buffer.from([0, 0xff, 0xff, 0xff, 0xff])
  for (const [name, sent, pattern] of [
    ['undecodable', { bytes: framed(Buffer.from([0x0a, 0xff])) }, /not a valid ExportTraceServiceRequest/],
    ['no message', { bytes: Buffer.alloc(0) }, /no message/],
    ['a cut prefix', { bytes: Buffer.alloc(3) }, /no message/],
    ['an unknown flag', { bytes: Buffer.from([2, 0, 0, 0, 0]) }, /no message/],
    ['a cut message', { bytes: framed(binary).subarray(0, 20) }, /incomplete/],
    ['two messages', { bytes: Buffer.concat([framed(binary), framed(binary)]) }, /more than one/],
    [
      'two compressed messages',
      { metadata: gzip, bytes: Buffer.concat([compressed(gzipSync(binary)), framed(binary)]) },
      /more than one/,
    ],
    ['no gzip', { metadata: gzip, bytes: compressed(binary) }, /cannot be decompressed/],
    ['a cut gzip', { metadata: gzip, bytes: compressed(cut) }, /cannot be decompressed/],
    ['an announced length over the limit', { bytes: tooLong }, /payload_too_large/],
    ['a bomb', { metadata: gzip, bytes: compressed(bomb) }, /payload_too_large/],
  ] as const) {
    const { status, message, details } = await send(sent)
    assert.equal(status, INVALID_ARGUMENT, `${name}: ${message}`)
    assert.match(message, pattern, name)
    assert.doesNotMatch(details, /RetryInfo/)
  }
  assert.deepEqual([traces.exports.length, budget.usedBytes], [1, 0])
  assert.equal((await send({})).status, OK)
})

test('what is not known is UNIMPLEMENTED, a bug INTERNAL, and neither is repeated', async () => {
  const { call: send, traces, logLines } = await grpcWorld()
  const compressedBy = { 'x-api-key': 'own', 'grpc-encoding': 'br' }
  const unknown = await send({ metadata: compressedBy, bytes: compressed(binary) })
  assert.deepEqual(
    [unknown.status, unknown.headers['grpc-accept-encoding']],
    [UNIMPLEMENTED, 'identity,gzip,deflate,zstd'],
  )
  assert.equal((await send({ path: `${SERVICE}.trace.v1.TraceService/Other` })).status, UNIMPLEMENTED)
  traces.failure = new TypeError('a secret')
  const broken = await send({})
  assert.equal(broken.status, INTERNAL)
  assert.doesNotMatch(broken.message + broken.details, /a secret/)
  const id = String(broken.headers['x-request-id'])
  assert.ok(logLines.some((line) => line.includes('a secret') && line.includes(id)))
})

test('a refused span or log record is named in partial_success; metrics are not stored', async () => {
  const { call: send, traces } = await grpcWorld()
  const partly = toProtobuf(exportJson([{ name: 'good' }, { name: 'bad', spanId: 'ab' }]))
  const answer = await send({ bytes: framed(partly) })
  assert.equal(answer.status, OK)
  assert.deepEqual(answer.body, encodeExportResponse(1, 'the span id must have 8 bytes, not all zero'))
  const records = toProtobuf(logsJson([{ name: 'gen_ai.choice', body: { message: 'Hi' } }, { name: 'other' }]))
  for (const [service, bytes, said] of [
    ['metrics.v1.MetricsService', Buffer.from('any'), /Spoor does not store metrics/],
    ['logs.v1.LogsService', records, /not other/],
  ] as const) {
    const { status, body } = await send({ path: `${SERVICE}.${service}/Export`, bytes: framed(bytes) })
    assert.equal(status, OK)
    assert.match(body.toString(), said)
    assert.equal((await send({ path: `${SERVICE}.${service}/Export`, metadata: {} })).status, UNAUTHENTICATED)
  }
  assert.deepEqual(
    traces.exports.map(({ encoding }) => encoding),
    ['protobuf', 'protobuf logs'],
  )
})

test('a call that is refused early does not hold up the others of its connection', async () => {
  const { call: send } = await grpcWorld()
  const large = framed(Buffer.alloc(1024 * 1024))
  for (let at = 0; at < 10; at++) {
    assert.equal((await send({ metadata: { 'x-api-key': 'wrong' }, bytes: large })).status, UNAUTHENTICATED)
  }
  assert.equal((await send({})).status, OK)
})

test('a client that stops sending is refused after 30 s, one that resets its call or is no HTTP/2 harms nothing', async () => {
  const { session, call: send, timers } = await stillWorld()
  const headers = { ':method': 'POST', ':path': EXPORT, 'content-type': 'application/grpc', 'x-api-key': 'own' }
  assert.equal((await send({})).status, OK)
  const { pending } = timers
  const slow = session.request(headers)
  slow.write(framed(binary).subarray(0, 10))
  const answers: IncomingHttpHeaders[] = []
  slow.once('response', (received) => answers.push(received))
  while (timers.pending === pending) await new Promise(setImmediate)
  timers.advance(30_001)
  while (answers.length === 0) await new Promise(setImmediate)
  assert.equal(Number(answers[0]?.['grpc-status']), DEADLINE_EXCEEDED)
  slow.on('error', () => undefined).destroy()
  const reset = session.request(headers)
  reset.on('error', () => undefined).write(framed(binary).subarray(0, 10))
  reset.close(8)
  await once(reset, 'close')
  const wrong = session.request({ ':method': 'GET', ':path': '/' })
  const [response] = (await once(wrong, 'response')) as [IncomingHttpHeaders]
  assert.equal(response[':status'], 415)
  assert.equal((await send({})).status, OK)
})

test('a call that is reset without an error while its bytes are read harms nothing', async () => {
  const { session, traces, budget, call: send } = await grpcWorld()
  const reset = session.request({
    ':method': 'POST',
    ':path': EXPORT,
    'content-type': 'application/grpc',
    'x-api-key': 'own',
    'grpc-encoding': 'deflate',
  })
  // The stream of the compressor ends before the message does.
  const message = Buffer.concat([deflateSync(binary), Buffer.alloc(300_000)])
  const prefix = framed(message).subarray(0, 5)
  prefix[0] = 1
  const gate = Promise.withResolvers<void>()
  traces.gate = gate.promise
  reset.on('error', () => undefined).write(Buffer.concat([prefix, message]))
  while (budget.usedBytes === 0) await new Promise(setImmediate)
  await new Promise((resolve) => setTimeout(resolve, 50))
  reset.close(0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  gate.resolve()
  assert.equal((await send({})).status, OK)
})

test('a partition is held while a call for it is under way, and no longer', async () => {
  const held: string[] = []
  const hold = async (projectId: string) => {
    held.push(projectId)
    return () => void held.splice(held.indexOf(projectId), 1)
  }
  const { call: send, session, traces, ownProject } = await grpcWorld({}, { hold })
  const gate = Promise.withResolvers<void>()
  traces.gate = gate.promise
  const answer = send({})
  const reset = session.request({
    ':method': 'POST',
    ':path': EXPORT,
    'content-type': 'application/grpc',
    'x-api-key': 'own',
  })
  reset.on('error', () => undefined).end(framed(binary))
  while (held.length < 2) await new Promise(setImmediate)
  assert.deepEqual(held, [ownProject, ownProject])
  reset.close(constants.NGHTTP2_CANCEL)
  while (held.length > 1) await new Promise(setImmediate)
  gate.resolve()
  assert.equal((await answer).status, OK)
  while (held.length > 0) await new Promise(setImmediate)
})

test('a connection without calls is closed', async () => {
  const { session, call: send, timers } = await stillWorld()
  assert.equal((await send({})).status, OK)
  const closed = once(session, 'close')
  timers.advance(121_000)
  await closed
})

async function stillWorld() {
  const timers = new ManualTimers()
  return { ...(await grpcWorld({ timers })), timers }
}

test('a stop lets the calls end that are under way', async () => {
  const { call: send, server, traces, budget } = await grpcWorld()
  const gate = Promise.withResolvers<void>()
  traces.gate = gate.promise
  const answer = send({})
  while (budget.usedBytes === 0) await new Promise(setImmediate)
  const closed = server.close(60_000)
  gate.resolve()
  assert.equal((await answer).status, OK)
  await closed
})

test('a message is percent-encoded as gRPC has it', () => {
  assert.equal(percentEncoded('100 %: ä\n'), '100 %25: %C3%A4%0A')
})
