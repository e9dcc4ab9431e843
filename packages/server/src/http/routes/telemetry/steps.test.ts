import assert from 'node:assert/strict'
import { request } from 'node:http'
import { createConnection } from 'node:net'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { DomainError } from '../../../lib/domain-error.ts'
import { createHttpWorld, createStillWorld, type HttpWorld } from '../../test-world/http-world.test-support.ts'
import { listen, type Send, sendTo, TRANSPORTS } from '../../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own' }
const LINES = { ...OWN, 'content-type': 'application/x-ndjson' }
const STREAMED = { ...LINES, accept: 'application/x-ndjson' }

async function newTrace(send: Send): Promise<string> {
  const headers = { ...OWN, 'content-type': 'application/json' }
  return (await send({ method: 'POST', path: '/v1/traces', headers, body: '{"name":"run"}' })).json().id
}

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`step append over ${name}`, () => {
    test('every line accepted: 200 with a verdict for each line; blank lines count and are skipped', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const path = `/v1/traces/${await newTrace(send)}/steps`
      const answer = await send({ method: 'POST', path, headers: LINES, body: '{"name":"a"}\n\n{"name":"b"}' })
      const { errors, results } = answer.json()
      assert.deepEqual([answer.status, errors, results.length], [200, false, 2])
      assert.deepEqual([results[0].line, results[0].status, results[1].line], [1, 'created', 3])
      const steps = (await send({ path, headers: OWN })).json()
      assert.deepEqual(
        steps.steps.map((step: { name: string }) => step.name),
        ['a', 'b'],
      )
    })

    test('a step names its trace; an unknown one and one of another project are not found', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const id = await newTrace(send)
      const body = '{"name":"a"}\n'
      const { results } = (await send({ method: 'POST', path: `/v1/traces/${id}/steps`, headers: LINES, body })).json()
      const path = `/v1/steps/${results[0].step_id}`
      const found = await send({ path, headers: OWN })
      assert.deepEqual([found.status, found.json()], [200, { id: results[0].step_id, trace_id: id }])
      for (const [other, headers] of [
        [path, { 'x-api-key': 'foreign' }],
        ['/v1/steps/st_01h2xcejqtf2nbrexx3vqjhp42', OWN],
        ['/v1/steps/junk', OWN],
      ] as const) {
        assert.equal((await send({ path: other, headers })).status, 404, other)
      }
    })

    test('one invalid line does not affect the others: 207', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const path = `/v1/traces/${await newTrace(send)}/steps`
      const answer = await send({ method: 'POST', path, headers: LINES, body: '{"name":"a"}\n{\n{"name":"b"}\n' })
      const { errors, results } = answer.json()
      assert.deepEqual([answer.status, errors], [207, true])
      assert.deepEqual(results[1], {
        line: 2,
        status: 'error',
        code: 'malformed_json',
        detail: 'The line is not valid JSON.',
        pointer: null,
      })
      assert.equal(results[2].status, 'created')
    })

    test('a client that accepts NDJSON gets the same verdicts as lines', async () => {
      const { app } = createHttpWorld()
      const send = await connect(app)
      const path = `/v1/traces/${await newTrace(send)}/steps`
      const answer = await send({ method: 'POST', path, headers: STREAMED, body: '{"name":"a"}\n{\n' })
      assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/x-ndjson'])
      const statuses = answer.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).status)
      assert.deepEqual(statuses, ['created', 'error'])
      assert.ok(answer.headers['x-request-id'])
    })

    test('a JSON answer stops at its limit of lines, and later lines are not written', async () => {
      const { app, traces } = createHttpWorld({ limits: { linesPerJsonResponse: 3 } })
      const send = await connect(app)
      const id = await newTrace(send)
      const path = `/v1/traces/${id}/steps`
      const exact = await send({ method: 'POST', path, headers: LINES, body: '{}\n{}\n{}\n' })
      assert.deepEqual([exact.status, exact.json().results.length], [200, 3])
      const over = await send({ method: 'POST', path, headers: LINES, body: '{}\n{}\n{}\n{}\n{}\n' })
      const { results } = over.json()
      assert.deepEqual([over.status, results.length, results[3].line, results[3].code], [207, 4, 4, 'too_many_lines'])
      assert.equal(traces.stepCount(id as never), 6)
    })

    test('refuses the whole request: other content types, unknown and foreign traces, too large a length', async () => {
      const { app } = createHttpWorld({ limits: { ndjsonRequestBytes: 20 } })
      const send = await connect(app)
      const path = `/v1/traces/${await newTrace(send)}/steps`
      const post = async (headers: Record<string, string>, to = path, body = '{}') =>
        (await send({ method: 'POST', path: to, headers, body })).status
      assert.equal(await post({ ...OWN, 'content-type': 'application/json' }), 415)
      assert.equal(await post({ ...LINES, 'x-api-key': 'foreign' }), 404)
      assert.equal(await post(LINES, `/v1/traces/tr_${'0'.repeat(26)}/steps`), 404)
      assert.equal(await post(LINES, path, '{"name":"longer than twenty"}'), 413)
    })

    test('a store failure before the first verdict fails the request; later it is a verdict on the rest', async () => {
      const { app, traces } = createHttpWorld()
      const send = await connect(app)
      const path = `/v1/traces/${await newTrace(send)}/steps`
      traces.failure = new DomainError('disk_full', 'The disk is full.')
      const whole = await send({ method: 'POST', path, headers: LINES, body: '{"name"' })
      assert.equal(whole.status, 503)
      const rest = await send({ method: 'POST', path, headers: LINES, body: '{}\n{}\n' })
      assert.deepEqual(
        [rest.status, rest.json().results.at(-1).code, rest.json().results.at(-1).line],
        [207, 'disk_full', 3],
      )
    })
  })
}

async function openAppend(world: HttpWorld, headers: Record<string, string>) {
  const port = await listen(world.app)
  const id = await newTrace((sent) => sendTo(port, sent))
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: `/v1/traces/${id}/steps`,
    headers,
    agent: false,
  })
  outgoing.on('error', () => {})
  return { id, outgoing }
}

function openConnections({ app }: HttpWorld): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
}

test('verdicts are streamed while the body is still being sent', async () => {
  const { outgoing } = await openAppend(createHttpWorld(), STREAMED)
  outgoing.write('{"name":"a"}\n')
  const [incoming] = await once(outgoing, 'response')
  const [first] = await once(incoming, 'data')
  assert.equal(JSON.parse(String(first)).line, 1)
  outgoing.write('{"name":"b"}\n')
  const [second] = await once(incoming, 'data')
  assert.equal(JSON.parse(String(second)).line, 2)
  outgoing.end()
  incoming.resume()
  await once(incoming, 'end')
})

test('if a client disconnects in the middle of a line, the lines before are recorded', async () => {
  const world = createHttpWorld()
  const { id, outgoing } = await openAppend(world, LINES)
  outgoing.write('{"name":"a"}\n{"name":"b"}\n{"na')
  while (world.traces.stepCount(id as never) < 2) await new Promise(setImmediate)
  outgoing.destroy()
  while ((await openConnections(world)) > 0) await new Promise(setImmediate)
  assert.equal(world.traces.stepCount(id as never), 2)
  assert.ok(!world.logLines.join('').includes('"level":"error"'))
})

test('a client that sends everything before it reads does not deadlock', async () => {
  const world = createHttpWorld()
  const { outgoing } = await openAppend(world, STREAMED)
  const lines = 100_000
  const response = once(outgoing, 'response')
  const sent = once(outgoing, 'finish')
  outgoing.end('{}\n'.repeat(lines))
  await sent
  const [incoming] = await response
  let text = ''
  for await (const chunk of incoming) text += String(chunk)
  assert.equal(text.split('\n').length - 1, lines)
  assert.equal(world.budget.usedBytes, 0)
})

test('if a client never reads its verdicts, reading pauses and it is disconnected after a minute', async () => {
  const world = createStillWorld({ budgetBytes: 1024 * 1024 })
  const { id, outgoing } = await openAppend(world, STREAMED)
  outgoing.on('response', (incoming) => incoming.pause())
  const piece = '{}\n'.repeat(20_000)
  let moving = Promise.withResolvers<void>()
  outgoing.on('drain', () => moving.resolve())
  outgoing.on('close', () => {
    moving.resolve()
  })
  const feedMore = async () => {
    for (let i = 0; i < 400 && !outgoing.destroyed; i++) {
      if (outgoing.write(piece)) continue
      await moving.promise
      moving = Promise.withResolvers<void>()
    }
  }
  const feeding = feedMore()
  let before = -1
  // Two timers belong to the tails and to access; the third belongs to the writer, which waits for its reader.
  while (before !== world.traces.stepCount(id as never) || world.timers.pending < 3) {
    before = world.traces.stepCount(id as never)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.ok(before < 400 * 20_000, 'reading has stopped')
  assert.ok(world.budget.usedBytes <= 1024 * 1024)
  world.timers.advance(60_000)
  await feeding
  while (world.budget.usedBytes > 0) await new Promise(setImmediate)
})

test('the headers of a client that waits for 100-continue are checked before its body', async () => {
  const { app } = createHttpWorld()
  const port = await listen(app)
  const socket = createConnection({ port, host: '127.0.0.1' })
  socket.write(
    'POST /v1/traces HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n',
  )
  const [refused] = await once(socket, 'data')
  assert.match(String(refused), /^HTTP\/1\.1 401/)
  socket.destroy()
  const welcome = createConnection({ port, host: '127.0.0.1' })
  welcome.write(
    'POST /v1/traces HTTP/1.1\r\nhost: x\r\nx-api-key: own\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n',
  )
  const [go] = await once(welcome, 'data')
  assert.match(String(go), /^HTTP\/1\.1 100/)
  welcome.write('{"name":"a"}')
  const [committed] = await once(welcome, 'data')
  assert.match(String(committed), /^HTTP\/1\.1 202/)
  welcome.destroy()
})

test('a client with `connection: close` can read why it was refused while it still sends', async () => {
  const { app } = createHttpWorld()
  const socket = createConnection({ port: await listen(app), host: '127.0.0.1' })
  socket.write(
    'POST /v1/traces HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n',
  )
  const ended = once(socket, 'end')
  let hasEnded = false
  void ended.then(() => (hasEnded = true))
  const [refused] = await once(socket, 'data')
  assert.match(String(refused), /^HTTP\/1\.1 401/)
  // A second request goes through the same event loop: the first connection would have ended before it.
  const other = createConnection({ port: socket.remotePort as number, host: '127.0.0.1' })
  other.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await once(other.resume(), 'end')
  assert.equal(hasEnded, false)
  socket.write('1\r\n}\r\n0\r\n\r\n')
  await ended
})
