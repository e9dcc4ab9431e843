import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { EXPORT_BYTES } from '@spoor/contract/otlp'
import { DomainError } from '../../lib/domain-error.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { DiskGuard } from '../../operation/disk-guard.ts'
import { exportJson, toProtobuf } from '../../traces/otlp/spans.test-support.ts'
import { FORM_TYPE } from '../test-world/form.test-support.ts'
import { createHttpWorld, createStillWorld } from '../test-world/http-world.test-support.ts'
import { listen, sendTo } from '../test-world/transports.test-support.ts'

/* Clients that are slow, stop in the middle or disconnect, at every stage of a request. */

const ONE_SPAN = toProtobuf(exportJson([{ name: 'a' }]))
const HEAD = 'POST /v1/traces HTTP/1.1\r\nhost: x\r\nx-api-key: own\r\ncontent-type: application/json\r\n'

async function connect(port: number): Promise<Socket> {
  const socket = createConnection({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  socket.on('error', () => {})
  return socket
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}

test('a body that stops arriving ends with 408, and its bytes are released', async () => {
  const { app, timers, budget } = createStillWorld()
  const socket = await connect(await listen(app))
  socket.write(`${HEAD}content-length: 100\r\n\r\n{"name":`)
  await until(() => budget.usedBytes === 100)
  timers.advance(29_999)
  await new Promise(setImmediate)
  assert.equal(budget.usedBytes, 100)
  timers.advance(1)
  const answer = await readAll(socket)
  assert.match(answer, /^HTTP\/1\.1 408[^]*"code":"request_timeout"/)
  assert.equal(budget.usedBytes, 0)
})

/** Sends a byte every five seconds of the service's clock. Returns the seconds until the answer. */
async function drip(socket: Socket, timers: ManualTimers, piece: string, most: number): Promise<number> {
  let answered = false
  socket.once('data', () => (answered = true))
  for (let second = 0; second <= most; second += 5) {
    if (answered) return second
    const moved = socket.bytesWritten
    socket.write(piece)
    while (socket.bytesWritten === moved) await new Promise(setImmediate)
    // Until the service has read it.
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    timers.advance(5000)
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  }
  return Infinity
}

const DRIPPED = {
  'a trace': `${HEAD}content-length: 100000\r\n\r\n`,
  'a sign-in': 'POST /v1/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 4000\r\n\r\n',
  'a change of a trace': `PATCH${HEAD.slice(4).replace('/v1/traces', '/v1/traces/tr_01h455vb4pex5vsknk084sn02q')}content-length: 4000\r\n\r\n`,
}

for (const [what, head] of Object.entries(DRIPPED)) {
  test(`${what} that sends a byte every five seconds is refused after 30 s`, async () => {
    const { app, timers, budget } = createStillWorld()
    const socket = await connect(await listen(app))
    socket.write(head)
    const answer = once(socket, 'data')
    await until(() => budget.usedBytes > 0)
    // The received bytes earned it slightly more than 30 s.
    assert.equal(await drip(socket, timers, ' ', 60), 35)
    assert.match(
      String((await answer)[0]),
      /^HTTP\/1\.1 408 [^]*Less than 16384 bytes of the body arrived in 30 seconds/,
    )
    await until(() => budget.usedBytes === 0)
  })
}

test('a body that sends 16 KB every 30 s may take as long as it needs', async () => {
  const { app, timers, budget } = createStillWorld()
  const socket = await connect(await listen(app))
  socket.write(`${HEAD}content-length: 1000000\r\n\r\n`)
  await until(() => budget.usedBytes > 0)
  assert.equal(await drip(socket, timers, ' '.repeat(3000), 300), Infinity)
  socket.destroy()
})

test('lines may arrive as slowly as an agent produces them, if a byte arrives every 30 s', async () => {
  const { app, timers, traces } = createStillWorld()
  const port = await listen(app)
  const headers = { 'x-api-key': 'own', 'content-type': 'application/json' }
  const { id } = (await sendTo(port, { method: 'POST', path: '/v1/traces', headers, body: '{"name":"run"}' })).json()
  const socket = await connect(port)
  const head = COMMITTING['lines of steps'].replace(/tr_\w+/, id)
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n`)
  assert.equal(await drip(socket, timers, '3\r\n{}\n\r\n', 300), Infinity)
  assert.equal(traces.stepCount(id), 61)
  socket.destroy()
})

test('unfinished bodies of one project leave memory for the commits of another', async () => {
  const { app, budget } = createHttpWorld({ budgetBytes: 4 * 1024 * 1024 })
  const port = await listen(app)
  const upload = `POST /v1/media/upload HTTP/1.1\r\nhost: x\r\nx-api-key: foreign\r\ncontent-type: ${FORM_TYPE}\r\ncontent-length: 900000\r\n\r\n`
  const sockets: Socket[] = []
  const answers: string[] = []
  for (let n = 0; n < 20; n++) {
    const before = budget.usedBytes
    const socket = await connect(port)
    socket.on('data', (chunk) => answers.push(String(chunk)))
    socket.write(upload)
    sockets.push(socket)
    await until(() => budget.usedBytes > before || answers.length > 0)
  }
  await until(() => answers.length === 16)
  assert.equal(budget.usedBytes, 2 * 1024 * 1024)
  for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 503 [^]*"code":"queue_full"/)
  const headers = { 'x-api-key': 'own', 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'x'.repeat(1_000_000) })
  assert.equal((await sendTo(port, { method: 'POST', path: '/v1/traces', headers, body })).status, 202)
  for (const socket of sockets) socket.destroy()
})

const EXPORT_HEAD = 'POST /v1/traces HTTP/1.1\r\nhost: x\r\nx-api-key: own\r\ncontent-type: application/x-protobuf\r\n'

/** An export of the greatest length that has room, and of which nothing arrives. */
async function holdRoom(port: number): Promise<Socket> {
  const socket = await connect(port)
  socket.write(`${EXPORT_HEAD}expect: 100-continue\r\ncontent-length: ${EXPORT_BYTES}\r\n\r\n`)
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 100 /)
  return socket
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 50))

test('exports that the budget cannot hold are taken in turn, and other requests meanwhile', async () => {
  const { app, budget, timers, traces } = createStillWorld({ budgetBytes: 100_000 })
  const port = await listen(app)
  const headers = { 'x-api-key': 'own', 'content-type': 'application/x-protobuf' }
  const send = (body: Buffer, key = 'own') =>
    sendTo(port, { method: 'POST', path: '/v1/traces', headers: { ...headers, 'x-api-key': key }, body })
  const first = await holdRoom(port)

  const large = Buffer.concat(Array<Buffer>(2000).fill(ONE_SPAN))
  assert.ok(large.length > 100_000)
  let answered = 0
  const refused = [send(large), send(large)].map((answer) => answer.finally(() => answered++))
  await pause()
  assert.equal((await send(ONE_SPAN)).status, 200)
  assert.equal((await send(large, 'foreign')).status, 200)
  assert.equal(answered, 0)
  timers.advance(30_000)
  for (const { status, headers: sent } of await Promise.all(refused))
    assert.deepEqual([status, sent['retry-after']], [503, '1'])

  const taken = [send(large), send(large)]
  await pause()
  first.destroy()
  assert.deepEqual(
    (await Promise.all(taken)).map(({ status }) => status),
    [200, 200],
  )
  assert.deepEqual(
    traces.exports.map(({ body }) => body.length),
    [ONE_SPAN.length, large.length, large.length, large.length],
  )
  assert.equal(budget.usedBytes, 0)
})

test('an export that grows after it got room leaves nothing in the budget', async () => {
  const { app, budget } = createStillWorld({ budgetBytes: 1_000_000 })
  const port = await listen(app)
  const others = [await connect(port), await connect(port)]
  for (const socket of others) socket.write(`${EXPORT_HEAD}content-length: 250000\r\n\r\n`)
  await until(() => budget.usedBytes === 500_000)
  const growing = await connect(port)
  growing.write(`${EXPORT_HEAD}transfer-encoding: chunked\r\n\r\n6\r\n123456\r\n`)
  await pause()
  for (const socket of others) socket.destroy()
  await until(() => budget.usedBytes === 0)
  growing.write(`80000\r\n${'x'.repeat(0x80000)}\r\n`)
  await pause()
  growing.destroy()
  await pause()
  assert.equal(budget.usedBytes, 0)
})

test('a compressed export whose last bytes come while it waits for room is taken', async () => {
  const { app, budget } = createStillWorld({ budgetBytes: 600_000 })
  const port = await listen(app)
  const first = await holdRoom(port)
  const body = gzipSync(Buffer.concat(Array<Buffer>(10_000).fill(ONE_SPAN)))
  const socket = await connect(port)
  const answer = once(socket, 'data')
  socket.write(`${EXPORT_HEAD}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`)
  socket.write(body.subarray(0, -4))
  await pause()
  socket.write(body.subarray(-4))
  await pause()
  assert.equal(socket.bytesRead, 0)
  first.destroy()
  assert.match(String((await answer)[0]), /^HTTP\/1\.1 200 /)
  socket.destroy()
  await until(() => budget.usedBytes === 0)
})

test('an export that has room must arrive within a minute', async () => {
  const { app, timers } = createStillWorld({ budgetBytes: 1000 })
  const socket = await holdRoom(await listen(app))
  const answer = once(socket, 'data')
  for (const second of [20, 40, 60, 80]) {
    socket.write(Buffer.alloc(20_000))
    await pause()
    if (second < 80) timers.advance(20_100)
  }
  assert.match(String((await answer)[0]), /^HTTP\/1\.1 408 /)
  socket.destroy()
})

test('a client that disconnects in the middle of a body leaves nothing behind and is not logged as an error', async () => {
  const { app, budget, logLines } = createHttpWorld()
  const socket = await connect(await listen(app))
  socket.write(`${HEAD}content-length: 100\r\n\r\n{"name":`)
  await until(() => budget.usedBytes === 100)
  socket.destroy()
  await until(() => budget.usedBytes === 0)
  assert.ok(!logLines.join('').includes('"level":"error"'))
})

test('incomplete headers and input that is not HTTP are answered and closed', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  const vanishing = await connect(port)
  vanishing.write('POST /v1/tra')
  vanishing.destroy()
  const junk = await connect(port)
  junk.write('\x16\x03\x01 hello\r\n\r\n')
  const answer = await readAll(junk)
  assert.match(answer, /^HTTP\/1\.1 400[^]*"code":"bad_request"/)
})

test('headers that are too large and CONNECT are answered with the reason', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  const large = await connect(port)
  large.write(`GET /healthz HTTP/1.1\r\nhost: a\r\nx-long: ${'a'.repeat(17_000)}\r\n\r\n`)
  assert.match(await readAll(large), /^HTTP\/1\.1 431 [^]*"code":"head_too_large"/)
  const many = await connect(port)
  many.write(`GET /healthz HTTP/1.1\r\nhost: a\r\n${'a:1\r\n'.repeat(2500)}\r\n`)
  assert.match(await readAll(many), /^HTTP\/1\.1 431 [^]*"code":"head_too_large"/)
  const tunnel = await connect(port)
  tunnel.write('CONNECT internal.example:443 HTTP/1.1\r\nhost: internal.example:443\r\n\r\n')
  assert.match(await readAll(tunnel), /^HTTP\/1\.1 405 [^]*\r\nallow: \r\n[^]*"code":"method_not_allowed"/)
})

test('a request with two Host headers is refused, because a proxy in front may use the other one', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  for (const hosts of ['host: a\r\nHost: b', 'host: a\r\nhost: a']) {
    const socket = await connect(port)
    socket.write(`GET /healthz HTTP/1.1\r\n${hosts}\r\nconnection: close\r\n\r\n`)
    assert.match(await readAll(socket), /^HTTP\/1\.1 400[^]*"code":"bad_request"/)
  }
})

test('a body above its limit is refused while it is still being sent, and the client can read the answer', async () => {
  const { app } = createHttpWorld({ limits: { traceBodyBytes: 1000 } })
  const port = await listen(app)
  const headers = { 'x-api-key': 'own', 'content-type': 'application/json' }
  const announced = await sendTo(port, { method: 'POST', path: '/v1/traces', headers, body: 'x'.repeat(3_000_000) })
  assert.deepEqual([announced.status, announced.json().detail], [413, 'The body is larger than 1000 bytes.'])
  const chunked = { ...headers, 'transfer-encoding': 'chunked' }
  const counted = await sendTo(port, {
    method: 'POST',
    path: '/v1/traces',
    headers: chunked,
    body: 'x'.repeat(3_000_000),
  })
  assert.equal(counted.status, 413)
})

test('an upload that does not fit on the disk is refused before its first byte arrives', async () => {
  const guard = new DiskGuard({
    freeBytes: async () => 1_000_000,
    reserveBytes: 400_000,
    allowMerges: () => undefined,
    onError: (error) => assert.fail(String(error)),
  })
  await guard.start(new ManualTimers(), () => assert.fail('there is space'))
  const { app, blobs } = createHttpWorld({ intakeBlock: (bytes) => guard.refusal(bytes) })
  const port = await listen(app)
  const headers = { 'x-api-key': 'own', 'content-type': 'application/json' }
  const { id } = (await sendTo(port, { method: 'POST', path: '/v1/traces', headers, body: '{"name":"run"}' })).json()
  const sign = async (sizeBytes: number) => {
    const query = new URLSearchParams({
      trace_id: id,
      kind: 'file',
      content_type: 'text/plain',
      size_bytes: String(sizeBytes),
      sha256: '0'.repeat(64),
    })
    const { url } = (
      await sendTo(port, { path: `/v1/media/signed-url?${query}`, headers: { 'x-api-key': 'own' } })
    ).json()
    return `PUT ${new URL(url).pathname} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\n`
  }
  const upload = `POST /v1/media/upload HTTP/1.1\r\nhost: x\r\nx-api-key: own\r\ncontent-type: ${FORM_TYPE}\r\n`
  for (const [head, length] of [
    [upload, 600_001],
    [await sign(600_001), 600_001],
  ] as const) {
    const socket = await connect(port)
    let answer = ''
    socket.on('data', (chunk) => (answer += String(chunk)))
    socket.write(`${head}content-length: ${length}\r\nexpect: 100-continue\r\n\r\n`)
    await until(() => answer.includes('\r\n\r\n'))
    assert.match(answer, /^HTTP\/1\.1 503 [^]*retry-after: 10\r\n/)
    await until(() => answer.includes('"code":"disk_full"'))
    socket.destroy()
  }
  for (const head of [upload, await sign(600_000)]) {
    const socket = await connect(port)
    let answer = ''
    socket.on('data', (chunk) => (answer += String(chunk)))
    socket.write(`${head}content-length: 600000\r\nexpect: 100-continue\r\n\r\n`)
    await until(() => answer.length > 0)
    assert.match(answer, /^HTTP\/1\.1 100 /)
    socket.destroy()
  }
  assert.equal(blobs.objects.size, 0)
})

test('the rest of a refused body is discarded for a limited time', async () => {
  const { app, timers } = createStillWorld()
  const socket = await connect(await listen(app))
  socket.write('POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nsome')
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 401/)
  await until(() => timers.pending > 1)
  timers.advance(5000)
  await once(socket, 'close')
})

test('a connection whose refused body is complete serves the next request', async () => {
  const { app, timers } = createStillWorld()
  const socket = await connect(await listen(app))
  socket.write('POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\nsome')
  const [refused] = await once(socket, 'data')
  assert.match(String(refused), /^HTTP\/1\.1 401/)
  socket.write('x'.repeat(100_000 - 4))
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
  const [healthy] = await once(socket, 'data')
  assert.match(String(healthy), /^HTTP\/1\.1 200/)
  timers.advance(5000)
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  assert.match(await readAll(socket), /^HTTP\/1\.1 200/)
})

test('when the bodies in memory reach the budget, the next one is refused, and the budget recovers', async () => {
  const { app, traces, budget } = createHttpWorld({ budgetBytes: 1000 })
  const port = await listen(app)
  const { promise, resolve } = Promise.withResolvers<void>()
  traces.gate = promise
  const headers = { 'x-api-key': 'own', 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'x'.repeat(600) })
  const first = sendTo(port, { method: 'POST', path: '/v1/traces', headers, body })
  await until(() => budget.usedBytes > 600)
  const second = await sendTo(port, { method: 'POST', path: '/v1/traces', headers, body })
  assert.deepEqual([second.status, second.json().code, second.headers['retry-after']], [503, 'queue_full', '1'])
  resolve()
  assert.equal((await first).status, 202)
  assert.equal(budget.usedBytes, 0)
})

const FULL = new DomainError('queue_full', 'Full.', { retryAfterSeconds: 1 })

/** Requests whose bodies would be committed: headers without the final line, so that more headers can follow. */
const COMMITTING = {
  'a trace': HEAD,
  'lines of steps': HEAD.replace('/v1/traces', '/v1/traces/tr_01h455vb4pex5vsknk084sn02q/steps').replace(
    'application/json',
    'application/x-ndjson',
  ),
  'metric events': HEAD.replace('/v1/traces', '/v1/metrics/events'),
  'lines of metric events': HEAD.replace('/v1/traces', '/v1/metrics/events').replace(
    'application/json',
    'application/x-ndjson',
  ),
}

for (const [what, head] of Object.entries(COMMITTING)) {
  for (const length of ['content-length: 100000', 'transfer-encoding: chunked']) {
    test(`a full queue refuses ${what} (${length}) before its first byte arrives, without 100 Continue`, async () => {
      const { app, traces, budget } = createHttpWorld()
      const port = await listen(app)
      traces.intakeRefusal = FULL
      for (const expect of ['', 'expect: 100-continue\r\n']) {
        const socket = await connect(port)
        socket.write(`${head}${length}\r\n${expect}\r\n`)
        let answer = ''
        socket.on('data', (chunk) => (answer += String(chunk)))
        await until(() => answer.includes('"code":"queue_full"'))
        assert.match(answer, /^HTTP\/1\.1 503 [^]*retry-after: 1\r\n/)
        assert.equal(budget.usedBytes, 0)
        socket.destroy()
      }
    })
  }
}

test('a body that exceeds the budget is refused by its announced length', async () => {
  const { app, budget } = createHttpWorld({ budgetBytes: 1000 })
  const port = await listen(app)
  for (const length of ['content-length: 1001', 'transfer-encoding: chunked']) {
    const socket = await connect(port)
    socket.write(`${HEAD}${length}\r\nexpect: 100-continue\r\n\r\n`)
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 503 [^]*retry-after: 1\r\n/)
    assert.equal(budget.usedBytes, 0)
    socket.destroy()
  }
  const fitting = await connect(port)
  fitting.write(`${HEAD}content-length: 1000\r\nexpect: 100-continue\r\n\r\n`)
  const [go] = await once(fitting, 'data')
  assert.match(String(go), /^HTTP\/1\.1 100 /)
  assert.equal(budget.usedBytes, 1000)
  fitting.destroy()
})

test('a body without a length reserves more as it grows, and releases the rest', async () => {
  const { app, traces, budget } = createHttpWorld()
  const port = await listen(app)
  const { promise, resolve } = Promise.withResolvers<void>()
  traces.gate = promise
  const socket = await connect(port)
  const body = JSON.stringify({ name: 'x'.repeat(700_000) })
  socket.write(`${HEAD}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`)
  for (const half of [body.slice(0, 300_000), body.slice(300_000)]) {
    socket.write(`${half.length.toString(16)}\r\n${half}\r\n`)
  }
  socket.write('0\r\n\r\n')
  await until(() => budget.usedBytes === body.length)
  resolve()
  assert.match(await readAll(socket), /^HTTP\/1\.1 202/)
  assert.equal(budget.usedBytes, 0)
})

test('a long answer that the client does not read is not read from the store', async () => {
  const { app, traces } = createHttpWorld()
  const port = await listen(app)
  const step = { name: 'x', messages: [{ role: 'user', content: 'y'.repeat(10_000) }] }
  const headers = { 'x-api-key': 'own', 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'long', steps: Array.from({ length: 1500 }, () => step) })
  const { id } = (await sendTo(port, { method: 'POST', path: '/v1/traces', headers, body })).json()
  const incoming = await new Promise<IncomingMessage>((resolve) => {
    get({ port, host: '127.0.0.1', path: `/v1/traces/${id}`, headers, agent: false }, resolve)
  })
  incoming.on('error', () => {})
  let before = -1
  while (before !== traces.pagesRead) {
    before = traces.pagesRead
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.ok(before < 15, `${before} of 15 pages were read`)
  incoming.destroy()
  const whole = await sendTo(port, { path: `/v1/traces/${id}`, headers })
  assert.equal(whole.json().steps.length, 1500)
})
