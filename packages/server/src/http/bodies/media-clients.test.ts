import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import { test } from 'node:test'
import { FORM_TYPE, formBody } from '../test-world/form.test-support.ts'
import { createHttpWorld, createStillWorld, type HttpWorld } from '../test-world/http-world.test-support.ts'
import { listen, sendTo } from '../test-world/transports.test-support.ts'

/* Uploaders, readers and stores that stop in the middle. */

const OWN = { 'x-api-key': 'own' }

async function connect(port: number): Promise<Socket> {
  const socket = createConnection({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  socket.on('error', () => {})
  return socket
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate)
}

async function begin(world: HttpWorld) {
  const port = await listen(world.app)
  const headers = { ...OWN, 'content-type': 'application/json' }
  const made = await sendTo(port, { method: 'POST', path: '/v1/traces', headers, body: '{"name":"x"}' })
  const traceId = made.json().id as string
  const body = formBody([
    { name: 'trace_id', content: traceId },
    { name: 'kind', content: 'file' },
    { name: 'file', filename: 'x', type: 'text/plain', content: 'y'.repeat(500_000) },
  ])
  const head = `POST /v1/media/upload HTTP/1.1\r\nhost: x\r\nx-api-key: own\r\ncontent-type: ${FORM_TYPE}\r\ncontent-length: ${body.length}\r\n\r\n`
  return { port, body, head, traceId }
}

test('an upload that stops arriving ends with 408 and nothing of it is stored', async () => {
  const world = createStillWorld()
  const { port, body, head } = await begin(world)
  const socket = await connect(port)
  socket.write(head)
  socket.write(body.subarray(0, 300_000))
  await until(() => world.blobs.unfinished.size === 1)
  // Until it has read everything and waits for more.
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate)
  world.timers.advance(30_000)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  assert.match(text, /^HTTP\/1\.1 408[^]*"code":"request_timeout"/)
  await world.mediaService.close()
  assert.deepEqual([world.blobs.unfinished.size, world.blobs.objects.size, world.budget.usedBytes], [0, 0, 0])
})

test('an uploader that disconnects leaves nothing behind and is not logged as an error', async () => {
  const world = createHttpWorld()
  const { port, body, head } = await begin(world)
  const socket = await connect(port)
  socket.write(head)
  socket.write(body.subarray(0, 300_000))
  await until(() => world.blobs.unfinished.size === 1)
  socket.destroy()
  await until(() => world.blobs.unfinished.size === 0)
  await world.mediaService.close()
  assert.deepEqual([world.blobs.objects.size, world.budget.usedBytes, world.mediaErrors], [0, 0, []])
  assert.ok(!world.logLines.join('').includes('"level":"error"'))
})

test('uploads beyond the memory budget are refused with Retry-After', async () => {
  const world = createHttpWorld({ budgetBytes: 600 * 1024 })
  const { port, body, head } = await begin(world)
  const first = await connect(port)
  first.write(head)
  await until(() => world.budget.usedBytes > 0)
  const refused = await sendTo(port, {
    method: 'POST',
    path: '/v1/media/upload',
    headers: { ...OWN, 'content-type': FORM_TYPE },
    body,
  })
  assert.deepEqual([refused.status, refused.json().code, refused.headers['retry-after']], [503, 'queue_full', '1'])
  first.write(body)
  const [answer] = (await once(first, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 201/)
  first.destroy()
})

test('an upload that is refused early gets its answer although its body is still being sent', async () => {
  const world = createHttpWorld()
  const { port } = await begin(world)
  const parts = [
    { name: 'trace_id', content: world.ids.newId('tr') },
    { name: 'file', filename: 'x', content: Buffer.alloc(20_000_000) },
  ]
  const headers = { ...OWN, 'content-type': FORM_TYPE }
  const answer = await sendTo(port, { method: 'POST', path: '/v1/media/upload', headers, body: formBody(parts) })
  assert.equal(answer.status, 404)
  assert.equal(world.blobs.objects.size, 0)
})

test('a store that fails in the middle of a read breaks the connection', async () => {
  const world = createHttpWorld()
  const { port, body } = await begin(world)
  const headers = { ...OWN, 'content-type': FORM_TYPE }
  const made = await sendTo(port, { method: 'POST', path: '/v1/media/upload', headers, body })
  world.blobs.failReadsAfterBytes = 200_000
  const path = `/v1/media/serve?uri=${encodeURIComponent(made.json().uri)}`
  const outcome = await new Promise<string>((resolve) => {
    get({ port, host: '127.0.0.1', path, headers: OWN, agent: false }, (incoming) => {
      incoming.resume()
      incoming.on('end', () => resolve('taken for whole'))
      incoming.on('error', () => resolve('broken'))
    })
  })
  assert.equal(outcome, 'broken')
})
