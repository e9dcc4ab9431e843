import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { createConnection } from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { ConnectionLimit } from './connection-limit.ts'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { listen } from '../test-world/transports.test-support.ts'

/** The server side of a connection from an address. */
class Connection extends Duplex {
  readonly remoteAddress: string
  answer = ''

  constructor(remoteAddress: string) {
    super({ allowHalfOpen: true })
    this.remoteAddress = remoteAddress
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.answer += String(chunk)
    done()
  }
}

function guardedServer(most: number) {
  const server = createServer().removeAllListeners('connection')
  const taken: Connection[] = []
  server.on('connection', (socket: Socket) => taken.push(socket as unknown as Connection))
  const timers = new ManualTimers()
  const counts = { opened: 0, closed: 0, refused: 0 }
  new ConnectionLimit({
    most,
    timers,
    newRequestId: () => 'request-1',
    opened: () => counts.opened++,
    closed: () => counts.closed++,
    refused: () => counts.refused++,
  }).guard(server)
  const open = (address: string) => {
    const connection = new Connection(address)
    server.emit('connection', connection)
    return connection
  }
  return { open, taken, timers, counts }
}

test('one address gets half of the connections, and another address can still connect', () => {
  const { open, taken, counts } = guardedServer(10)
  for (let n = 0; n < 20; n++) open('192.0.2.1')
  assert.equal(taken.length, 5)
  open('192.0.2.2')
  assert.deepEqual([taken.length, counts], [6, { opened: 6, closed: 0, refused: 15 }])
})

test('addresses of one IPv6 network count as one, and both forms of an IPv4 address are the same', () => {
  const { open, taken } = guardedServer(4)
  for (let n = 1; n < 10; n++) open(`2001:db8:0:1::${n}`)
  assert.equal(taken.length, 2)
  open('192.0.2.1')
  open('::ffff:192.0.2.1')
  assert.equal(taken.length, 3)
})

test('closing a connection allows another one', async () => {
  const { open, taken, counts } = guardedServer(2)
  const first = open('192.0.2.1')
  open('192.0.2.1')
  assert.equal(taken.length, 1)
  first.destroy()
  await once(first, 'close')
  open('192.0.2.1')
  assert.deepEqual([taken.length, counts], [2, { opened: 2, closed: 1, refused: 1 }])
})

test('a refused connection gets an answer and a second to read it; of many, some are closed at once', async () => {
  const { open, timers } = guardedServer(2)
  open('192.0.2.1')
  const refused = Array.from({ length: 101 }, () => open('192.0.2.1'))
  const [first, last] = [refused[0], refused.at(-1)]
  assert.ok(first && last)
  assert.match(first.answer, /^HTTP\/1\.1 503 [^]*retry-after: 1\r\n[^]*"code":"too_many_connections"/)
  assert.deepEqual([first.destroyed, last.destroyed, last.answer], [false, true, ''])
  timers.advance(1000)
  assert.deepEqual([first.destroyed, timers.pending], [true, 0])
})

test('over a socket: a refused connection gets the error, and a request within the limit is answered', async () => {
  const { app, instruments } = createHttpWorld({ mostConnections: 2 })
  const port = await listen(app)
  const ask = async (connection: string) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    let text = ''
    socket.on('data', (chunk) => (text += String(chunk)))
    socket.write(`GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\n\r\n`)
    await once(socket, connection === 'close' ? 'close' : 'data')
    return { socket, text }
  }
  const kept = await ask('keep-alive')
  const refused = await ask('close')
  assert.match(refused.text, /^HTTP\/1\.1 503 [^]*"code":"too_many_connections"/)
  assert.match(await instruments.print(), /^spoor_open_connections 1$/m)
  kept.socket.destroy()
  while (!/^spoor_open_connections 0$/m.test(await instruments.print())) await new Promise(setImmediate)
  assert.match((await ask('close')).text, /^HTTP\/1\.1 200/)
  assert.match(await instruments.print(), /^spoor_connections_refused_total 1$/m)
})
