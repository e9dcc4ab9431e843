import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { ipRange } from '../lib/net/ip-address.ts'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { systemTimers } from '../lib/time/timers.ts'
import type { SendOutcome } from '../ports/webhooks/delivery-sender.ts'
import { createAddressPolicy } from './address-policy.ts'
import type { ResolveName } from './guarded-connector.ts'
import { RECEIVER_CERTIFICATE } from './receiver-certificate.test-support.ts'
import { type Answer, OK, startReceiver } from './receiver.test-support.ts'
import { UndiciDeliverySender, type UndiciDeliverySenderDependencies } from './undici-delivery-sender.ts'

const LOOPBACK = [ipRange('127.0.0.0/8')]
const NEVER = new AbortController().signal
const BODY = new TextEncoder().encode('{"id":"evt_1"}')

/** A resolver that has these addresses for every name. */
const at =
  (...addresses: readonly string[]): ResolveName =>
  (_, report) =>
    report(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))

function newSender(context: TestContext, overrides: Partial<UndiciDeliverySenderDependencies> = {}) {
  const sender = new UndiciDeliverySender({
    policy: createAddressPolicy(LOOPBACK),
    resolve: at('127.0.0.1'),
    timers: systemTimers,
    nameFailureStepMs: 1,
    ...overrides,
  })
  context.after(() => sender.close())
  return sender
}

async function newReceiver(context: TestContext, answer: Answer, isSecure = false) {
  const receiver = await startReceiver(answer, { isSecure })
  context.after(() => receiver.close())
  return receiver
}

function post(sender: UndiciDeliverySender, url: string, signal = NEVER): Promise<SendOutcome> {
  return sender.send({ url, headers: { 'content-type': 'application/json', 'x-own': 'a' }, body: BODY }, signal)
}

/** The outcome of one request to a receiver that answers like this. */
async function outcomeOf(
  context: TestContext,
  answer: Answer,
  overrides: Partial<UndiciDeliverySenderDependencies> = {},
): Promise<SendOutcome> {
  const receiver = await newReceiver(context, answer)
  return post(newSender(context, overrides), `http://127.0.0.1:${receiver.port}/hook?a=b`)
}

const respond = (text: string) => (socket: Socket) => void socket.write(text)
const SHORT = { timeLimitMs: 100 }

test('the bytes go out as they are, with the headers given, and the answer comes back', async (context) => {
  const receiver = await newReceiver(
    context,
    respond('HTTP/1.1 201 Created\r\nX-Reply: one\r\nx-reply: two\r\ncontent-length: 5\r\n\r\nh\u00e9llo'),
  )
  const outcome = await post(newSender(context), `http://127.0.0.1:${receiver.port}/hook?a=b#c`)
  assert.deepEqual(outcome, {
    response: {
      status: 201,
      headers: { 'x-reply': 'one, two', 'content-length': '5' },
      body: 'h\u00e9ll',
      truncated: false,
    },
    error: null,
  })
  const [request = ''] = receiver.requests
  assert.match(request, /^POST \/hook\?a=b HTTP\/1.1\r\n/)
  assert.match(request, /\r\ncontent-type: application\/json\r\nx-own: a\r\n/)
  assert.ok(request.endsWith('\r\n\r\n{"id":"evt_1"}'))
  assert.doesNotMatch(request, /accept-encoding|transfer-encoding/i)
})

test('any status is an answer, and a redirect is not followed', async (context) => {
  for (const status of [204, 301, 307, 404, 410, 429, 500, 503]) {
    const location = 'location: http://127.0.0.1:1/secret\r\n'
    const { response, error } = await outcomeOf(
      context,
      respond(`HTTP/1.1 ${status} X\r\n${location}${status === 204 ? '' : 'content-length: 0\r\n'}\r\n`),
    )
    assert.equal(error, null)
    assert.equal(response?.status, status)
  }
})

test('the time limit covers the lookup and the whole answer, whether a receiver hangs or drips', async (context) => {
  const hanging = await outcomeOf(context, () => undefined, SHORT)
  assert.deepEqual(hanging, { response: null, error: { code: 'timeout', detail: 'no answer came within 0.1 s' } })

  const drip =
    (head: string): Answer =>
    (socket) => {
      socket.write(head)
      const timer = setInterval(() => socket.write('x'), 5)
      socket.on('close', () => clearInterval(timer))
    }
  const headers = await outcomeOf(context, drip('HTTP/1.1 200 OK\r\nx-a: '), SHORT)
  assert.deepEqual([headers.response, headers.error?.code], [null, 'timeout'])

  // Its head has arrived by then, also on a busy machine.
  const aSecond = { timeLimitMs: 1000 }
  const body = await outcomeOf(context, drip('HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n'), aSecond)
  assert.equal(body.response?.status, 200)
  assert.match(body.response?.body ?? '', /^x*$/)
  assert.deepEqual(body.error, { code: 'timeout', detail: 'the answer did not end within 1 s' })

  const unresolved = await post(newSender(context, { ...SHORT, resolve: () => undefined }), 'http://hook.test/')
  const detail = 'the name of the host could not be looked up in time'
  assert.deepEqual(unresolved.error, { code: 'dns_failed', detail })
})

test('a lookup that hangs does not delay deliveries to other names', async (context) => {
  const receiver = await newReceiver(context, respond(OK))
  const hanging = new Set<string>()
  const sender = newSender(context, {
    timeLimitMs: 5000,
    resolve: (name, report) => (name === 'hangs.test' ? hanging.add(name) : at('127.0.0.1')(name, report)),
  })
  const stop = new AbortController()
  const stuck = Array.from({ length: 16 }, () => post(sender, 'http://hangs.test/', stop.signal))
  const outcomes = await Promise.all(
    ['a', 'b', 'c'].map((name) => post(sender, `http://${name}.test:${receiver.port}/`)),
  )
  assert.deepEqual(
    outcomes.map(({ response }) => response?.status),
    [200, 200, 200],
  )
  stop.abort()
  assert.deepEqual(new Set((await Promise.all(stuck)).map(({ error }) => error?.code)), new Set(['interrupted']))
})

test('an answer that is not HTTP/1.1 is reported as bad_response', async (context) => {
  const bad = { response: null, error: { code: 'bad_response', detail: 'what came back is no HTTP/1.1 response' } }
  for (const text of [
    'SSH-2.0-OpenSSH\r\n',
    '\0\0\0\0',
    'HTTP/1.1 abc\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
  ])
    assert.deepEqual(await outcomeOf(context, respond(text)), bad, text)
  const flood = await outcomeOf(context, respond('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1000)))
  assert.equal(flood.error?.code, 'bad_response')
  const hinted = await outcomeOf(context, respond(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}`))
  assert.deepEqual([hinted.response?.status, hinted.error], [200, null])
  const badChunk = await outcomeOf(context, respond('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'))
  assert.deepEqual([badChunk.response?.status, badChunk.error?.code], [200, 'bad_response'])
})

test('every sequence of received bytes leads to an outcome', async (context) => {
  const part = fc.constantFrom(
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.0 500\r\n',
    'content-length: 3\r\n',
    'transfer-encoding: chunked\r\n',
    'connection: close\r\n',
    'connection: upgrade\r\n',
    'keep-alive: timeout=0\r\n',
    '\r\n',
    '3\r\nabc\r\n',
    '0\r\n\r\n',
    OK,
    'HTTP/1.1 103 Early Hints\r\n\r\n',
  )
  const bytes = fc.oneof(part, part, part, fc.string({ unit: 'binary', maxLength: 8 }))
  let parts: readonly string[] = []
  const receiver = await newReceiver(context, (socket) => {
    for (const text of parts) socket.write(text)
    socket.end()
  })
  const sender = newSender(context)
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { maxLength: 8 }), async (given) => {
      parts = given
      const { response, error } = await post(sender, `http://127.0.0.1:${receiver.port}/`)
      assert.ok(response !== null || error !== null)
    }),
    { numRuns: 300 },
  )
})

test('errors distinguish connections that break before, without and within an answer', async (context) => {
  const without = { code: 'connection_failed', detail: 'the connection was closed without an answer' }
  assert.deepEqual((await outcomeOf(context, (socket) => socket.end())).error, without)
  assert.deepEqual((await outcomeOf(context, (socket) => socket.resetAndDestroy())).error, without)
  const within = await outcomeOf(context, (socket) => socket.end('HTTP/1.1 500 X\r\ncontent-length: 9\r\n\r\nab'))
  assert.deepEqual(
    [within.response?.status, within.response?.body, within.error?.code],
    [500, 'ab', 'connection_failed'],
  )
  const closed = await newReceiver(context, () => undefined)
  await closed.close()
  const refused = await post(newSender(context), `http://127.0.0.1:${closed.port}/`)
  assert.equal(refused.error?.code, 'connection_refused')
  assert.equal((await post(newSender(context, { resolve: at() }), 'http://hook.test/')).error?.code, 'dns_failed')
})

test('16 KiB of a body are stored, and the rest of a longer one is not read', async (context) => {
  const exact = await outcomeOf(
    context,
    respond(`HTTP/1.1 200 OK\r\ncontent-length: 16384\r\n\r\n${'a'.repeat(16384)}`),
  )
  assert.deepEqual([exact.response?.body.length, exact.response?.truncated], [16384, false])

  let written = 0
  let closed: Promise<unknown> = Promise.resolve()
  const endless: Answer = (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${10 * 1024 ** 3}\r\n\r\n`)
    const chunk = Buffer.alloc(65536, 'b')
    const fill = () => {
      while (!socket.destroyed && socket.write(chunk)) written += chunk.length
    }
    socket.on('drain', fill)
    closed = new Promise((resolve) => socket.once('close', resolve))
    fill()
  }
  const { response, error } = await outcomeOf(context, endless)
  assert.deepEqual([response?.status, response?.body, response?.truncated, error], [200, 'b'.repeat(16384), true, null])
  await closed
  assert.ok(written < 64 * 1024 ** 2, `${written} bytes were taken`)
})

test('compressed bodies are not decoded', async (context) => {
  const { response } = await outcomeOf(
    context,
    respond('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc'),
  )
  assert.equal(response?.body, 'abc')
})

test('headers are bounded in size and number', async (context) => {
  const many = Array.from({ length: 100 }, (_, index) => `x-${index}: ${'v'.repeat(index)}\r\n`).join('')
  const { response } = await outcomeOf(context, respond(`HTTP/1.1 200 OK\r\n${many}content-length: 0\r\n\r\n`))
  assert.equal(Object.keys(response?.headers ?? {}).length, 64)
  const long = await outcomeOf(
    context,
    respond(`HTTP/1.1 200 OK\r\nx-a: ${'v'.repeat(5000)}\r\ncontent-length: 0\r\n\r\n`),
  )
  assert.equal(long.response?.headers['x-a'], 'v'.repeat(1024))
  for (const huge of [`x-a: ${'v'.repeat(40_000)}\r\n`, many.repeat(20)]) {
    const outcome = await outcomeOf(context, respond(`HTTP/1.1 200 OK\r\n${huge}\r\n`))
    assert.deepEqual(outcome, { response: null, error: { code: 'bad_response', detail: 'the headers are too large' } })
  }
  const odd = await outcomeOf(context, respond('HTTP/1.1 200 OK\r\n__proto__: x\r\ncontent-length: 0\r\n\r\n'))
  assert.equal(Object.getPrototypeOf(odd.response?.headers), Object.prototype)
})

test('connections are reused, and closed ones are not counted', async (context) => {
  const receiver = await newReceiver(context, respond(OK))
  const sender = newSender(context)
  const url = `http://127.0.0.1:${receiver.port}/`
  for (let index = 0; index < 20; index++) await post(sender, url)
  assert.equal(receiver.connections(), 1)
  await Promise.all(Array.from({ length: 8 }, () => post(sender, url)))
  assert.equal(receiver.connections(), 8)
  assert.equal(sender.connections, 8)
  await receiver.close()
  assert.equal((await post(sender, url)).error?.code, 'connection_refused')
  assert.equal(sender.connections, 0)
})

test('a receiver that closes after each answer gets a new connection for each request', async (context) => {
  const receiver = await newReceiver(
    context,
    respond('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
  )
  const sender = newSender(context)
  for (let index = 0; index < 5; index++) {
    assert.equal((await post(sender, `http://127.0.0.1:${receiver.port}/`)).response?.status, 200)
  }
  assert.equal(receiver.connections(), 5)
})

test('a request on a kept connection that was just closed is sent once more on a new one', async (context) => {
  // Every second request of a connection is answered by closing it.
  const served = new Map<Socket, number>()
  const receiver = await newReceiver(context, (socket) => {
    served.set(socket, (served.get(socket) ?? 0) + 1)
    if (served.get(socket) === 1) socket.write(OK)
    else socket.resetAndDestroy()
  })
  const sender = newSender(context)
  for (let index = 0; index < 4; index++) {
    assert.equal((await post(sender, `http://127.0.0.1:${receiver.port}/`)).error, null)
  }
  const dead = await newReceiver(context, (socket, number) => (number === 1 ? socket.write(OK) : socket.destroy()))
  await post(sender, `http://127.0.0.1:${dead.port}/`)
  assert.equal((await post(sender, `http://127.0.0.1:${dead.port}/`)).error?.code, 'connection_failed')
  assert.equal(dead.requests.length, 3)
})

test('a request on a new connection that is closed unanswered is not repeated', async (context) => {
  const receiver = await newReceiver(context, (socket) => socket.resetAndDestroy())
  const { error } = await post(newSender(context), `http://127.0.0.1:${receiver.port}/`)
  assert.equal(error?.code, 'connection_failed')
  assert.equal(receiver.requests.length, 1)
})

test('the number of idle connections is limited, those used last are kept', async (context) => {
  const receiver = await newReceiver(context, respond(OK))
  const sender = newSender(context)
  const postTo = (index: number) => post(sender, `http://n${index}.test:${receiver.port}/`)
  for (let index = 0; index < 300; index++) assert.equal((await postTo(index)).error, null)
  assert.ok(sender.connections > 200 && sender.connections <= 258, `${sender.connections} connections`)
  const made = receiver.connections()
  await postTo(299)
  assert.equal(receiver.connections(), made)
  await postTo(0)
  assert.equal(receiver.connections(), made + 1)
})

test('nothing is sent over a connection that is made after its request has ended', async (context) => {
  const receiver = await newReceiver(context, respond(OK))
  const lookup = Promise.withResolvers<Parameters<ResolveName>[1]>()
  const sender = newSender(context, { resolve: (_, report) => lookup.resolve(report) })
  const stop = new AbortController()
  const url = `http://late.test:${receiver.port}/`
  const ended = post(sender, url, stop.signal)
  stop.abort()
  assert.equal((await ended).error?.code, 'interrupted')
  at('127.0.0.1')('late.test', await lookup.promise)
  while (receiver.connections() === 0) await new Promise(setImmediate)
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  assert.deepEqual([receiver.requests.length, sender.connections], [0, 0])
})

test('an exchange that is cut off closes its connection and makes no other', async (context) => {
  const hanging = await newReceiver(context, () => undefined)
  const long = await newReceiver(context, respond(`HTTP/1.1 200 OK\r\n\r\n${'a'.repeat(20_000)}`))
  const [brief, sender] = [newSender(context, SHORT), newSender(context)]
  assert.equal((await post(brief, `http://127.0.0.1:${hanging.port}/`)).error?.code, 'timeout')
  assert.equal((await post(sender, `http://127.0.0.1:${long.port}/`)).response?.truncated, true)
  while (brief.connections + sender.connections > 0) await new Promise(setImmediate)
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  assert.deepEqual([brief.connections + sender.connections, hanging.connections(), long.connections()], [0, 1, 1])
})

test('no proxy of the environment is used', async (context) => {
  const receiver = await newReceiver(context, respond(OK))
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY']
  const before = names.map((name) => [name, process.env[name]] as const)
  context.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })
  for (const name of names) process.env[name] = 'http://127.0.0.1:1'
  assert.equal((await post(newSender(context), `http://127.0.0.1:${receiver.port}/`)).response?.status, 200)
})

test('a url that is not http or https is not sent to', async (context) => {
  const sender = newSender(context)
  for (const url of ['ftp://127.0.0.1/', 'file:///etc/hosts', 'nothing']) {
    const { response, error } = await post(sender, url)
    assert.deepEqual([response, error?.detail], [null, 'the url cannot be used'], url)
  }
})

test('the peer is checked before any byte is sent, even if its address passed before', async (context) => {
  let bytes = 0
  const receiver = createServer((socket) => socket.on('error', () => undefined).on('data', () => bytes++))
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  context.after(() => receiver.close())
  const { port } = receiver.address() as AddressInfo
  const policy = createAddressPolicy(LOOPBACK)
  for (const scheme of ['http', 'https']) {
    let checks = 0
    const refusal = (address: string) => (++checks > 1 ? 'a private address' : policy.refusal(address))
    const sender = newSender(context, { policy: { ...policy, refusal } })
    assert.equal((await post(sender, `${scheme}://hook.test:${port}/`)).error?.code, 'dns_failed', scheme)
    assert.equal(checks, 2)
  }
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(bytes, 0)
})

test('certificates are verified, against the name of the url', async (context) => {
  const receiver = await newReceiver(context, respond(OK), true)
  const trust = [RECEIVER_CERTIFICATE]
  const send = (host: string, overrides: Partial<UndiciDeliverySenderDependencies>) =>
    post(newSender(context, overrides), `https://${host}:${receiver.port}/`)
  assert.equal((await send('receiver.test', { trust })).response?.status, 200)
  const untrusted = await send('receiver.test', {})
  assert.equal(untrusted.error?.code, 'tls_failed')
  assert.match(untrusted.error?.detail ?? '', /^the certificate is not accepted: self-signed certificate/)
  for (const host of ['other.test', '127.0.0.1']) {
    const { error } = await send(host, { trust })
    assert.equal(error?.code, 'tls_failed', host)
    assert.match(error?.detail ?? '', /not accepted: Hostname\/IP does not match/)
  }
  const sender = newSender(context, { trust })
  const before = receiver.connections()
  for (let index = 0; index < 3; index++) await post(sender, `https://receiver.test:${receiver.port}/`)
  assert.equal(receiver.connections() - before, 1)
})

test('TLS to a plain port and plain HTTP to a TLS port fail with errors of their own', async (context) => {
  const plain = await newReceiver(context, respond(OK))
  const secure = await newReceiver(context, respond(OK), true)
  const limits = { timeLimitMs: 300 }
  const toSecure = await post(newSender(context, limits), `http://127.0.0.1:${secure.port}/`)
  assert.ok(['bad_response', 'connection_failed'].includes(toSecure.error?.code ?? ''), toSecure.error?.code)
  const toPlain = await post(newSender(context, limits), `https://127.0.0.1:${plain.port}/`)
  assert.ok(['tls_failed', 'timeout'].includes(toPlain.error?.code ?? ''))
  const closing = await newReceiver(context, () => undefined)
  const ended = post(newSender(context), `https://127.0.0.1:${closing.port}/`)
  while (closing.connections() === 0) await new Promise(setImmediate)
  await closing.close()
  assert.equal((await ended).error?.code, 'tls_failed')
})

test('private addresses are refused in every notation, and nothing is sent', async (context) => {
  const receiver = await newReceiver(context, respond(OK))
  const strict = { policy: createAddressPolicy([]) }
  const { port } = receiver
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    '0',
    '[::]',
    '[::1]',
    '[64:ff9b::7f00:1]',
  ]) {
    const { response, error } = await post(newSender(context, strict), `http://${host}:${port}/`)
    assert.deepEqual([response, error?.code], [null, 'address_refused'], host)
    assert.doesNotMatch(error?.detail ?? '', /127|\d{4}/)
  }
  for (const addresses of [
    ['127.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['10.0.0.1', '169.254.169.254'],
    ['::1', '127.0.0.1'],
    ['fe80::1%lo'],
  ]) {
    const { error } = await post(
      newSender(context, { ...strict, resolve: at(...addresses) }),
      `http://hook.test:${port}/`,
    )
    assert.equal(error?.code, 'dns_failed', addresses.join())
  }
  assert.equal(receiver.connections(), 0)
})

test('a private name and an unknown one fail alike, after the same time; only the log of the operator distinguishes them', async (context) => {
  const inside = new Map([['inside.test', ['10.0.0.1', '169.254.169.254']]])
  const logged: unknown[] = []
  const fail = async (name: string, lookUpMs: number) => {
    const timers = new ManualTimers()
    const resolve: ResolveName = (host, report) =>
      void timers.after(lookUpMs, () => at(...(inside.get(host) ?? []))(host, report))
    const sender = newSender(context, {
      policy: createAddressPolicy([]),
      timers,
      resolve,
      nameFailureStepMs: 1000,
      onRefusedName: (...refused) => logged.push(refused),
    })
    const end: { at: number | null } = { at: null }
    const ended = post(sender, `http://${name}/`).then((outcome) => {
      end.at = timers.now()
      return outcome
    })
    while (end.at === null) {
      await new Promise(setImmediate)
      timers.advance(timers.nextAt === null ? 0 : timers.nextAt - timers.now())
    }
    assert.equal(timers.pending, 0)
    return { ...(await ended), endedAt: end.at }
  }
  const refused = await fail('inside.test', 1)
  assert.deepEqual(await fail('nowhere.test', 30), refused)
  assert.deepEqual([refused.response, refused.error?.code, refused.endedAt], [null, 'dns_failed', 1000])
  assert.deepEqual(logged, [['inside.test', ['10.0.0.1', '169.254.169.254']]])
})

test('a failed name whose report is delayed is interrupted at once', async (context) => {
  const stop = new AbortController()
  const timers = new ManualTimers()
  const sender = newSender(context, { timers, resolve: at(), nameFailureStepMs: 1000 })
  const ended = post(sender, 'http://nowhere.test/', stop.signal)
  // The end of the time limit, and that of what is held.
  while (timers.pending < 2 || timers.nextAt !== 1000) await new Promise(setImmediate)
  stop.abort()
  assert.equal((await ended).error?.code, 'interrupted')
  assert.equal(timers.pending, 0)
})

test('of public and private addresses of a name only the allowed ones are connected to', async (context) => {
  const receiver = await newReceiver(context, respond(OK))
  const policy = createAddressPolicy([ipRange('127.0.0.1')])
  for (const addresses of [
    ['10.0.0.1', '127.0.0.1'],
    ['127.0.0.2', '127.0.0.1'],
    ['::1', '::ffff:127.0.0.1'],
  ]) {
    const sender = newSender(context, { policy, resolve: at(...addresses) })
    const { response } = await post(sender, `http://hook.test:${receiver.port}/`)
    assert.equal(response?.status, 200, addresses.join())
  }
})

test('a name is checked with the addresses that are connected to, even if they change with each lookup', async (context) => {
  const receiver = await newReceiver(
    context,
    respond('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
  )
  let lookups = 0
  const resolve: ResolveName = (name, report) => at(++lookups % 2 === 1 ? '127.0.0.1' : '127.0.0.2')(name, report)
  const sender = newSender(context, { policy: createAddressPolicy([ipRange('127.0.0.1')]), resolve })
  const codes: (string | undefined)[] = []
  for (let index = 0; index < 4; index++) {
    codes.push((await post(sender, `http://hook.test:${receiver.port}/`)).error?.code)
  }
  assert.deepEqual(codes, [undefined, 'dns_failed', undefined, 'dns_failed'])
  assert.deepEqual([lookups, receiver.connections()], [4, 2])
})

test('a redirect to a private address is not followed', async (context) => {
  const secret = await newReceiver(context, respond(OK))
  const { response } = await outcomeOf(
    context,
    respond(`HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:${secret.port}/\r\ncontent-length: 0\r\n\r\n`),
  )
  assert.equal(response?.status, 302)
  assert.equal(secret.connections(), 0)
})

test('sends are interrupted at once by their signal and by closing the sender', async (context) => {
  const receiver = await newReceiver(context, () => undefined)
  const url = `http://127.0.0.1:${receiver.port}/`
  const sender = newSender(context)
  const controller = new AbortController()
  const aborted = post(sender, url, controller.signal)
  const other = post(sender, url)
  while (receiver.requests.length < 2) await new Promise(setImmediate)
  controller.abort()
  assert.equal((await aborted).error?.code, 'interrupted')
  assert.equal(sender.connections, 1)
  await sender.close()
  assert.equal((await other).error?.code, 'interrupted')
  assert.equal((await post(sender, url)).error?.code, 'interrupted')
  assert.equal((await post(newSender(context), url, controller.signal)).error?.code, 'interrupted')
  assert.equal(sender.connections, 0)
})
