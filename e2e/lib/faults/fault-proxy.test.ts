import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { eventually } from '../eventually.ts'
import { FaultProxy } from './fault-proxy.ts'

/** A server that answers each chunk with itself, and the proxy before it. */
async function openWorld() {
  const received: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      received.push(chunk.toString('latin1'))
      socket.write(chunk)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await FaultProxy.before(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return {
    proxy,
    received,
    connect: () => connect(proxy.port, '127.0.0.1'),
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]()
      await once(server.close(), 'close')
    },
  }
}

/** What the connection gives until it ends, in whatever way; `whole`: until so many bytes. */
async function read(socket: Socket, whole = Infinity): Promise<{ text: string; isCut: boolean }> {
  let text = ''
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      text += String(chunk)
      if (text.length >= whole) return { text, isCut: false }
    }
  } catch {
    return { text, isCut: true }
  }
  return { text, isCut: false }
}

const COMMIT = 'Q\0\0\0\x0bCOMMIT\0'

test('without faults, bytes pass in both directions; latency delays them in order', async () => {
  await using world = await openWorld()
  const socket = world.connect()
  socket.write('one')
  assert.equal((await read(socket, 3)).text, 'one')
  world.proxy.latencyMs = 60
  const begun = performance.now()
  socket.write('two')
  assert.equal((await read(socket, 3)).text, 'two')
  assert.ok(performance.now() - begun >= 110)
  socket.destroy()
})

test('connections are cut and refused on command, and accepted again after it', async () => {
  await using world = await openWorld()
  const open = world.connect()
  open.write('x')
  await read(open, 1)
  world.proxy.refuses = true
  open.write('y')
  assert.equal((await read(open, 1)).text, 'y', 'open connections stay')
  world.proxy.cutAll()
  assert.deepEqual(await read(open), { text: '', isCut: true })
  assert.deepEqual(await read(world.connect()), { text: '', isCut: true })
  world.proxy.heal()
  const again = world.connect()
  again.write('z')
  assert.equal((await read(again, 1)).text, 'z')
  again.destroy()
})

test('a part that hangs accepts connections, and answers what waited afterwards', async () => {
  await using world = await openWorld()
  world.proxy.hangs = true
  const socket = world.connect()
  socket.write('late')
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.deepEqual(world.received, [])
  world.proxy.heal()
  assert.equal((await read(socket, 4)).text, 'late')
  socket.destroy()
})

test('an answer ends in its middle', async () => {
  await using world = await openWorld()
  world.proxy.answerBytes = 5
  const socket = world.connect()
  socket.write('short')
  assert.equal((await read(socket, 5)).text, 'short')
  socket.write('a long one')
  assert.deepEqual(await read(socket), { text: 'a lon', isCut: true })
})

test('COMMIT is lost on its way, or its answer is, or it arrives after the client has lost the connection', async () => {
  await using world = await openWorld()
  const { proxy, received } = world
  const cuts = [
    ['unsent', []],
    ['unanswered', [COMMIT]],
    ['late', [COMMIT]],
  ] as const
  for (const [how] of cuts) proxy.cutNextCommit(how)
  for (const [how, expected] of cuts) {
    const socket = world.connect()
    socket.write('Q\0\0\0\x0aSELECT\0')
    await read(socket, 12)
    received.length = 0
    socket.write(COMMIT)
    assert.deepEqual(await read(socket), { text: '', isCut: true })
    if (how === 'late') assert.deepEqual(received, [])
    await eventually('the server got what it gets', () => received.join() === expected.join())
  }
  assert.equal(proxy.cutCommits, 3)
  const socket = world.connect()
  socket.write(COMMIT)
  assert.equal((await read(socket, COMMIT.length)).text, COMMIT)
  socket.destroy()
})

test('a statement that commits by itself is cut too, by its name once it is prepared', async () => {
  await using world = await openWorld()
  const { proxy } = world
  const bind = 'B\0\0\0\x20\0abc-0\0values'
  const first = world.connect()
  first.write(`P\0\0\0\x40abc-0\0WITH moved AS (SELECT 1) INSERT INTO commits (version)\0\0\0${bind}`)
  await read(first, 60)
  first.destroy()
  proxy.cutNextCommit('unanswered')
  const second = world.connect()
  second.write('B\0\0\0\x20\0other-0\0values')
  assert.ok((await read(second, 17)).text.startsWith('B'))
  second.write(bind)
  assert.deepEqual(await read(second), { text: '', isCut: true })
  assert.equal(proxy.cutCommits, 1)
})
