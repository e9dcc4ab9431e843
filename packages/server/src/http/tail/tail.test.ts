import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { test } from 'node:test'
import { createHttpWorld, createStillWorld } from '../test-world/http-world.test-support.ts'
import { listen, sendTo } from '../test-world/transports.test-support.ts'

const JSON_HEADERS = { 'x-api-key': 'own', 'content-type': 'application/json' }

class TailClient {
  text = ''
  /** The end of the text, which may have many megabytes. */
  end = ''
  closed = false
  readonly socket: Socket

  constructor(port: number, headers = '', access = 'x-api-key: own') {
    this.socket = createConnection({ port, host: '127.0.0.1' })
    this.socket.on('data', (chunk) => {
      this.text += String(chunk)
      this.end = (this.end + String(chunk)).slice(-1000)
    })
    this.socket.on('close', () => (this.closed = true))
    this.socket.on('error', () => {})
    this.socket.write(
      `GET /v1/traces/tail HTTP/1.1\r\nhost: x\r\n${access}\r\naccept: text/event-stream\r\n${headers}\r\n`,
    )
  }

  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function commit(port: number, key = 'own'): Promise<string> {
  const headers = { ...JSON_HEADERS, 'x-api-key': key }
  return (await sendTo(port, { method: 'POST', path: '/v1/traces', headers, body: '{"name":"run"}' })).json().id
}

test('the stream has the right headers and plain bytes, framed by the end of the connection', async () => {
  const { app } = createHttpWorld()
  const tail = new TailClient(await listen(app))
  await tail.until(/retry/)
  const [head = '', body] = tail.text.split('\r\n\r\n')
  assert.match(head, /^HTTP\/1\.1 200 OK/)
  assert.match(head, /content-type: text\/event-stream; charset=utf-8/i)
  assert.match(head, /cache-control: no-store/i)
  assert.match(head, /x-accel-buffering: no/i)
  assert.match(head, /connection: close/i)
  assert.match(head, /x-request-id: request-1/i)
  assert.doesNotMatch(head, /transfer-encoding|content-length/i)
  assert.equal(body, 'retry: 3000\nid: 0\n\n')
})

test('follows the commits of its own project, and resumes after Last-Event-ID', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  const tail = new TailClient(port)
  await tail.until(/retry/)
  const first = await commit(port)
  await commit(port, 'foreign')
  const third = await commit(port)
  await tail.until(/id: 3\nevent/)
  assert.ok(
    tail.text.includes(
      `id: 1\nevent: trace.committed\ndata: {"id":"${first}","committed_at":"2023-11-14T22:13:20.000Z"}\n\n`,
    ),
  )
  assert.ok(!tail.text.includes('id: 2\n'))
  tail.socket.destroy()
  const again = new TailClient(port, 'last-event-id: 1\r\n')
  await again.until(/id: 3\nevent/)
  assert.deepEqual(
    [...again.text.matchAll(/"id":"(\w+)"/g)].map((match) => match[1]),
    [third],
  )
})

test('a position after the end of a restored journal gets a gap, and the stream continues from the head', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  await commit(port)
  const tail = new TailClient(port, 'last-event-id: 900000000000000\r\n')
  await tail.until(/gap/)
  const gap = 'id: 1\nevent: gap\ndata: {"from":900000000000000,"to":1}\n\n'
  assert.equal(tail.text.split('\r\n\r\n')[1], `retry: 3000\nid: 1\n\n${gap}`)
  const second = await commit(port)
  await tail.until(/id: 2\nevent/)
  assert.deepEqual(
    [...tail.text.matchAll(/"id":"(\w+)"/g)].map((match) => match[1]),
    [second],
  )
})

test('tails open in the turns of their project', async (context) => {
  const { app, work, ownProject, foreignProject } = createHttpWorld()
  const port = await listen(app)
  const turns = context.mock.method(work, 'run')
  const tails = [new TailClient(port), new TailClient(port, '', 'x-api-key: foreign')]
  await Promise.all(tails.map((tail) => tail.until(/retry/)))
  assert.deepEqual(
    turns.mock.calls.map(({ arguments: [owner] }) => owner).toSorted(),
    [ownProject, foreignProject].toSorted(),
  )
})

test('refuses positions that no stream has sent', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  for (const position of ['-1', '1.5', 'x', '0x0', '9'.repeat(40), '1, 0']) {
    const answer = await sendTo(port, {
      path: '/v1/traces/tail',
      headers: { 'x-api-key': 'own', 'last-event-id': position },
    })
    assert.deepEqual([answer.status, answer.json().code], [400, 'invalid_position'], position)
  }
})

test('counts open tails, and forgets a reader that disconnects', async () => {
  const { app, instruments } = createHttpWorld()
  const port = await listen(app)
  const tail = new TailClient(port)
  await tail.until(/retry/)
  assert.match(await instruments.print(), /spoor_open_tails 1/)
  tail.socket.destroy()
  while (!/spoor_open_tails 0/.test(await instruments.print())) await new Promise(setImmediate)
})

test('a reader that stops reading gets one page and is disconnected; others continue', async () => {
  const { app, feed, journal, timers, ownProject, ids } = createStillWorld()
  const port = await listen(app)
  const stuck = new TailClient(port)
  const quick = new TailClient(port)
  await Promise.all([stuck.until(/retry/), quick.until(/retry/)])
  stuck.socket.pause()
  let bytes = 0
  for (let i = 0; i < 600; i++) {
    const events = Array.from({ length: 250 }, () => ({ type: 'trace.committed', traceId: ids.newId('tr') }) as const)
    feed.publish([journal.append(ownProject, events)])
    timers.advance(5)
    bytes += 250 * 120
    await new Promise(setImmediate)
  }
  const last = new RegExp(`id: ${await journal.headPosition()}\n`)
  while (!last.test(quick.end)) {
    timers.advance(5)
    await new Promise(setImmediate)
  }
  assert.ok(bytes > 10_000_000)
  for (let i = 0; i < 5; i++) {
    timers.advance(15_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  stuck.socket.resume()
  while (!stuck.closed) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.ok(!quick.closed)
})

test('a tail opened by cookie ends when its session signs out, and cannot be opened again', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  const json = { host: 'x', 'content-type': 'application/json' }
  const signIn = async () => {
    const answer = await sendTo(port, { method: 'POST', path: '/v1/session', headers: json, body: '{"key":"own"}' })
    return String(answer.headers['set-cookie']).split(';')[0] as string
  }
  const [cookie, other] = [await signIn(), await signIn()]
  const tail = new TailClient(port, '', `cookie: ${cookie}`)
  const byOther = new TailClient(port, '', `cookie: ${other}`)
  const byKey = new TailClient(port)
  await Promise.all([tail, byOther, byKey].map((each) => each.until(/retry/)))
  await commit(port)
  await tail.until(/id: 1\nevent/)
  const ended = once(tail.socket, 'end')
  await sendTo(port, { method: 'DELETE', path: '/v1/session', headers: { host: 'x', cookie, origin: 'http://x' } })
  await ended
  assert.ok(tail.text.endsWith('\n\n'))
  await commit(port)
  await Promise.all([byOther, byKey].map((each) => each.until(/id: 2\nevent/)))
  const headers = { host: 'x', cookie, accept: 'text/event-stream', 'last-event-id': '1' }
  assert.equal((await sendTo(port, { path: '/v1/traces/tail', headers })).status, 401)
})

test('a tail opened by cookie ends when its session switches the project, and follows the new project when opened again', async () => {
  const { app, foreignProject } = createHttpWorld()
  const port = await listen(app)
  const json = { host: 'x', origin: 'http://x', 'content-type': 'application/json' }
  const signedIn = await sendTo(port, { method: 'POST', path: '/v1/session', headers: json, body: '{"key":"admin"}' })
  const cookie = String(signedIn.headers['set-cookie']).split(';')[0] as string
  const tail = new TailClient(port, '', `cookie: ${cookie}`)
  await tail.until(/retry/)
  await commit(port)
  await tail.until(/id: 1\nevent/)
  const ended = once(tail.socket, 'end')
  const body = JSON.stringify({ project_id: foreignProject })
  const switched = { method: 'PATCH', path: '/v1/session', headers: { ...json, cookie }, body }
  assert.equal((await sendTo(port, switched)).status, 200)
  await ended
  const there = new TailClient(port, 'last-event-id: 1\r\n', `cookie: ${cookie}`)
  await there.until(/retry/)
  await commit(port)
  await commit(port, 'foreign')
  await there.until(/id: 3\nevent/)
  assert.ok(!there.text.includes('id: 2'), there.text)
})

test('a tail ends when its key is revoked', async () => {
  const { app, access, instruments, timers } = createStillWorld()
  const port = await listen(app)
  const tail = new TailClient(port)
  await tail.until(/retry/)
  const ended = once(tail.socket, 'end')
  timers.advance(15_000)
  await tail.until(/heartbeat/)
  assert.match(await instruments.print(), /spoor_open_tails 1/)
  access.keys.delete('own')
  timers.advance(15_000)
  await ended
  assert.match(await instruments.print(), /spoor_open_tails 0/)
})

test('stopping the service ends tails cleanly, and they can resume', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  const tail = new TailClient(port)
  await tail.until(/retry/)
  await commit(port)
  await tail.until(/id: 1\nevent/)
  const ended = once(tail.socket, 'end')
  await app.close()
  await ended
  assert.ok(tail.text.endsWith('\n\n'))
})
