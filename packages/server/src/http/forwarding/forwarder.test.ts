import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DomainError } from '../../lib/domain-error.ts'
import { ManualTimers } from '../../lib/time/manual-timers.test-support.ts'
import { systemTimers, type Timers } from '../../lib/time/timers.ts'
import { UndiciNodeClient } from '../../node-client/undici-node-client.ts'
import { type Forwarding, type NodeDirectory, noOutcomes, type OtherNode } from '../../ports/nodes/nodes.ts'
import { exportJson, toProtobuf } from '../../traces/otlp/spans.test-support.ts'
import { framed } from '../otlp/grpc/grpc-message.ts'
import { startGrpcServer } from '../otlp/grpc/grpc-server.ts'
import { FORM_TYPE, formBody } from '../test-world/form.test-support.ts'
import { createHttpWorld, type HttpWorld, type HttpWorldOptions } from '../test-world/http-world.test-support.ts'
import { listen, sendTo, type TestRequest } from '../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own', 'content-type': 'application/json' }
const KEY = Buffer.alloc(32, 3)
const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'

/** All projects belong to one other node, while it can be reached. */
class OneOwner implements NodeDirectory {
  owner: OtherNode | null = null
  readonly unreachable: OtherNode[] = []

  ownerOf(): OtherNode | null {
    return this.owner
  }

  setUnreachable(node: OtherNode): void {
    this.unreachable.push(node)
    this.owner = null
  }
}

interface TestNode extends HttpWorld {
  readonly nodes: OneOwner
  readonly client: UndiciNodeClient
  readonly outcomes: Forwarding['outcomes']
  readonly port: number
}

async function startNode(options: HttpWorldOptions & { key?: Uint8Array; timers?: Timers } = {}): Promise<TestNode> {
  const { key = KEY, timers = systemTimers, ...rest } = options
  const [nodes, client, outcomes] = [new OneOwner(), new UndiciNodeClient(null, timers), noOutcomes()]
  after(() => client.close())
  const world = createHttpWorld({ ...rest, forwarding: { nodes, client, key, outcomes } })
  return { ...world, nodes, client, outcomes, port: await listen(world.app) }
}

/** A node, and the one that owns all projects. */
async function twoNodes(options: Parameters<typeof startNode>[0] = {}) {
  const [entry, owner] = [await startNode(), await startNode(options)]
  entry.nodes.owner = { holder: 'owner', address: `http://127.0.0.1:${owner.port}` }
  return { entry, owner, send: (sent: TestRequest) => sendTo(entry.port, sent) }
}

test('a write is answered by the owner of its project, a read by any node', async () => {
  const { entry, owner, send } = await twoNodes()
  const headers = { ...OWN, 'x-request-id': 'mine', 'content-encoding': 'gzip' }
  const answer = await send({ method: 'POST', path: '/v1/traces', headers, body: gzipSync('{"name":"run"}') })
  assert.deepEqual([answer.status, answer.json().state, answer.headers['x-spoor-node']], [202, 'committed', 'owner'])
  assert.equal(answer.headers['x-request-id'], 'mine')
  const { id } = answer.json()
  const path = `/v1/traces/${id}`
  assert.equal((await sendTo(owner.port, { path, headers: OWN })).status, 200)
  assert.equal((await send({ path, headers: OWN })).status, 404, 'the other node has its own memory here')
  const changed = await send({ method: 'PATCH', path, headers: OWN, body: '{"flagged":true}' })
  assert.deepEqual([changed.status, changed.json().state], [200, 'flagged'])
  const refused = await send({ method: 'PATCH', path, headers: OWN, body: '{"flagged":1}' })
  assert.deepEqual([refused.status, refused.json().code], [422, 'validation_failed'])
  assert.match(String(refused.headers['content-type']), /^application\/problem\+json/)
  const deleted = await send({ method: 'DELETE', path, headers: OWN })
  assert.deepEqual([deleted.status, deleted.text], [204, ''])
  assert.equal((await send({ method: 'POST', path: '/v1/traces', headers: { 'x-api-key': 'reader' } })).status, 403)
  assert.deepEqual(entry.nodes.unreachable, [])
  assert.deepEqual(entry.outcomes, { answered: 4, unreachable: 0, unknown: 0 })
  assert.deepEqual(owner.outcomes, noOutcomes())
})

test('the project in the path, the query and the host go along', async () => {
  const [entry, owner] = [await startNode({ hosts: ['spoor.example'] }), await startNode({ hosts: ['spoor.example'] })]
  entry.nodes.owner = { holder: 'owner', address: `http://127.0.0.1:${owner.port}` }
  const path = `/p/${entry.ownProject}/v1/traces`
  const sent = { method: 'POST', path, body: '{"name":"run"}' }
  const wrong = await sendTo(entry.port, { ...sent, headers: { ...OWN, host: 'other.example' } })
  assert.equal(wrong.status, 421)
  // The owner knows another project by this key: it has read the path.
  const answer = await sendTo(entry.port, { ...sent, headers: { ...OWN, host: 'spoor.example' } })
  assert.deepEqual([answer.status, answer.json().code], [404, 'not_found'])
})

test('lines and their verdicts pass as they come; a body that is cut off is cut off for the owner too', async () => {
  const { owner, entry, send } = await twoNodes()
  const { id } = (await send({ method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"run"}' })).json()
  const headers = { ...OWN, 'content-type': 'application/x-ndjson', accept: 'application/x-ndjson' }
  const outgoing = open(entry, { method: 'POST', path: `/v1/traces/${id}/steps`, headers })
  const answered = once(outgoing, 'response')
  outgoing.write('{"name":"one","type":"tool"}\n')
  const [incoming] = (await answered) as [IncomingMessage]
  incoming.setEncoding('utf8')
  const [first] = await once(incoming, 'data')
  assert.deepEqual([JSON.parse(first).line, JSON.parse(first).status], [1, 'created'])
  outgoing.write('{"name":"two","type":"tool"}\n')
  const [second] = await once(incoming, 'data')
  assert.equal(JSON.parse(second).line, 2)
  outgoing.write('{"name":"cut off"')
  outgoing.on('error', () => undefined).destroy()
  const hasConnections = () => new Promise<number>((resolve) => owner.app.server.getConnections((_, n) => resolve(n)))
  while ((await hasConnections()) > 0) await new Promise(setImmediate)
  assert.equal(owner.traces.stepCount(id), 2)
})

test('a client that waits for 100 Continue gets it, and large bodies are not held', async () => {
  const { entry, owner } = await twoNodes({ limits: { traceBodyBytes: 8 * 1024 * 1024 } })
  const body = JSON.stringify({ name: 'x'.repeat(4 * 1024 * 1024) })
  const headers = { ...OWN, 'content-length': String(body.length), expect: '100-continue' }
  const outgoing = open(entry, { method: 'POST', path: '/v1/traces', headers })
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  outgoing.end(body)
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  incoming.resume()
  assert.equal(incoming.statusCode, 202)
  assert.deepEqual([entry.budget.usedBytes, owner.budget.usedBytes], [0, 0])
})

test('a body that the owner refuses early is answered', async () => {
  const { send } = await twoNodes({ limits: { traceBodyBytes: 1000 } })
  const large = { method: 'POST', path: '/v1/traces', headers: OWN, body: Buffer.alloc(3 * 1024 * 1024, 'x') }
  for (let times = 0; times < 3; times++) {
    const answer = await send(large)
    assert.deepEqual([answer.status, answer.json().code], [413, 'payload_too_large'])
  }
  assert.equal((await send({ ...large, body: '{"name":"run"}' })).status, 202)
})

test('the rest of a body that the owner refused early is read, and its connection serves the next request', async () => {
  const { entry } = await twoNodes({ limits: { traceBodyBytes: 1000 } })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  after(() => agent.destroy())
  const ask = async (body: Buffer | string) => {
    const headers = { ...OWN, 'content-length': String(body.length) }
    const outgoing = request({ port: entry.port, agent, method: 'POST', path: '/v1/traces', headers }).end(body)
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    await once(incoming.resume(), 'end')
    return { status: incoming.statusCode, port: outgoing.socket?.localPort }
  }
  const refused = await ask(Buffer.alloc(20 * 1024 * 1024, 'x'))
  assert.equal(refused.status, 413)
  assert.deepEqual(await ask('{"name":"run"}'), { ...refused, status: 202 })
})

test('a message of MCP runs at the owner; an upload stays at the node that receives it', async () => {
  const { entry, owner, send } = await twoNodes()
  const { id } = (await send({ method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"run"}' })).json()
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'flag_trace', arguments: { id } } }
  const headers = { ...OWN, accept: 'application/json, text/event-stream' }
  const flagged = await send({ method: 'POST', path: '/mcp', headers, body: JSON.stringify(call) })
  assert.equal(flagged.status, 200)
  assert.doesNotMatch(flagged.text, /isError/)
  const { state } = (await sendTo(owner.port, { path: `/v1/traces/${id}`, headers: OWN })).json()
  assert.equal(state, 'flagged')
  const own = (
    await sendTo(owner.port, { method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"a"}' })
  ).json()
  const body = formBody([
    { name: 'trace_id', content: own.id },
    { name: 'kind', content: 'file' },
    { name: 'file', filename: 'a.txt', type: 'text/plain', content: 'bytes' },
  ])
  const upload = await send({ method: 'POST', path: '/v1/media', headers: { ...OWN, 'content-type': FORM_TYPE }, body })
  assert.equal(upload.json().code, 'not_found', 'the receiving node has looked for the trace')
  assert.deepEqual(entry.nodes.unreachable, [])
})

test('a header that no node of the cluster has made is refused, so no request goes round', async () => {
  const { entry, owner, send } = await twoNodes({ key: Buffer.alloc(32, 9) })
  const forged = await sendTo(owner.port, { path: '/v1/traces', headers: { ...OWN, 'x-spoor-forwarded': 'forged' } })
  assert.deepEqual([forged.status, forged.json().code], [400, 'bad_request'])
  assert.match(forged.json().detail, /SPOOR_SECRET_KEY/)
  // Each believes that the other is the owner.
  owner.nodes.owner = { holder: 'entry', address: `http://127.0.0.1:${entry.port}` }
  const other = await send({ method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"run"}' })
  assert.equal(other.status, 400, 'the two have different keys')
  const [one, two] = [await startNode(), await startNode()]
  one.nodes.owner = { holder: 'two', address: `http://127.0.0.1:${two.port}` }
  two.nodes.owner = { holder: 'one', address: `http://127.0.0.1:${one.port}` }
  const sent = { method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"run"}' }
  const answer = await sendTo(one.port, sent)
  assert.deepEqual([answer.status, answer.headers['x-spoor-node']], [202, 'two'])
})

test('when no connection to the owner can be made, this node handles the request', async () => {
  const entry = await startNode()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const dead = { holder: 'dead', address: `http://127.0.0.1:${port}` }
  entry.nodes.owner = dead
  const sent = { method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"run"}' }
  const answer = await sendTo(entry.port, sent)
  assert.deepEqual([answer.status, answer.headers['x-spoor-node']], [202, undefined])
  assert.deepEqual(entry.nodes.unreachable, [dead])
})

test('an owner that breaks off leaves an error that says what is unknown', async () => {
  const entry = await startNode()
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
    socket.once('data', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const broken = { holder: 'broken', address }
  entry.nodes.owner = broken
  const sent = { method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"run"}' }
  const answer = await sendTo(entry.port, sent)
  assert.deepEqual([answer.status, answer.json().code], [503, 'storage_unavailable'])
  assert.match(answer.json().detail, /stored or not/)
  assert.equal(answer.headers['retry-after'], '1')
  // One that answers nothing at all is given up when it leaves the list.
  server.removeAllListeners('connection').on('connection', (socket) => sockets.push(socket))
  const waiting = sendTo(entry.port, sent)
  while (sockets.length < 2) await new Promise(setImmediate)
  entry.client.abandon(broken)
  assert.equal((await waiting).status, 503)
  assert.deepEqual(entry.nodes.unreachable, [])
  for (const socket of sockets) socket.destroy()
})

test('an owner that hangs is given up after two probes; the next request waits for one, then another node is chosen', async () => {
  const timers = new ManualTimers()
  const entry = await startNode({ timers })
  const probes = [] as Socket[]
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => String(bytes).startsWith('GET /healthz') && probes.push(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const hanging = { holder: 'hanging', address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  entry.nodes.owner = hanging
  const arrive = async (count: number) => {
    while (probes.length < count) await new Promise(setImmediate)
  }
  const sent = { method: 'POST', path: '/v1/traces', headers: OWN, body: '{"name":"run"}' }
  const connected = once(server, 'connection')
  const waiting = sendTo(entry.port, sent)
  await connected
  timers.advance(3000)
  await arrive(1)
  probes[0]?.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  while (timers.pending > 1) await new Promise(setImmediate)
  for (const count of [2, 3]) {
    timers.advance(count === 2 ? 3000 : 1000)
    await arrive(count)
    assert.deepEqual(entry.nodes.unreachable, [], 'it has missed one probe at most')
    timers.advance(2000)
  }
  const answer = await waiting
  assert.deepEqual(
    [answer.status, answer.json().code, answer.headers['retry-after']],
    [503, 'storage_unavailable', '1'],
  )
  assert.match(answer.json().detail, /stored or not/)
  assert.deepEqual(entry.nodes.unreachable, [hanging])
  // The list of nodes was read again, and it still has its place.
  entry.nodes.owner = hanging
  const next = sendTo(entry.port, sent)
  await arrive(4)
  timers.advance(2000)
  assert.deepEqual([(await next).status, (await next).headers['x-spoor-node']], [202, undefined])
  assert.deepEqual(entry.nodes.unreachable, [hanging, hanging])
  assert.deepEqual(entry.outcomes, { answered: 0, unreachable: 1, unknown: 1 })
})

test('an export over gRPC is committed by the owner, which also refuses it', async () => {
  const { entry, owner } = await twoNodes()
  const server = await startGrpcServer(entry.dependencies, { host: '127.0.0.1', port: 0 })
  server.open()
  const session = connect(`http://127.0.0.1:${server.port}`)
  after(async () => {
    session.destroy()
    await server.close(0)
  })
  const binary = toProtobuf(exportJson([{ name: 'a' }]))
  const call = async (bytes: Buffer, more = {}) => {
    const stream = session.request({ ':method': 'POST', ':path': EXPORT, 'content-type': 'application/grpc', ...more })
    let all: IncomingHttpHeaders = {}
    stream.on('response', (head) => (all = { ...all, ...head })).on('trailers', (head) => (all = { ...all, ...head }))
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk)).end(bytes)
    await once(stream, 'close')
    return {
      status: Number(all['grpc-status']),
      message: String(all['grpc-message'] ?? ''),
      body: Buffer.concat(chunks),
    }
  }
  const key = { 'x-api-key': 'own' }
  const zipped = framed(gzipSync(binary))
  zipped[0] = 1
  assert.equal((await call(framed(binary), key)).status, 0)
  assert.equal((await call(zipped, { ...key, 'grpc-encoding': 'gzip' })).status, 0)
  const partly = await call(framed(toProtobuf(exportJson([{ name: 'a' }, { name: 'b', spanId: 'ab' }]))), key)
  assert.match(partly.body.toString(), /the span id must have 8 bytes/)
  assert.deepEqual([owner.traces.exports.length, entry.traces.exports.length], [3, 0])
  assert.ok(
    owner.traces.exports.every(
      ({ body, projectId }, at) => at === 2 || (body.equals(binary) && projectId === owner.ownProject),
    ),
  )
  owner.traces.failure = new DomainError('disk_full', 'Voll: 100 %.', { retryAfterSeconds: 30 })
  const full = await call(framed(binary), key)
  assert.deepEqual([full.status, decodeURIComponent(full.message)], [14, 'disk_full: Voll: 100 %.'])
  owner.traces.failure = null
  assert.equal((await call(framed(Buffer.from([0x0a, 0xff])), key)).status, 3)
  assert.equal((await call(framed(binary).subarray(0, 20), key)).status, 3, 'a cut message')
  assert.equal((await call(framed(binary), { 'x-api-key': 'reader' })).status, 7)
  entry.nodes.owner = null
  assert.equal((await call(framed(binary), key)).status, 0)
  assert.equal(entry.traces.exports.length, 1)
})

function open(
  { port }: TestNode,
  options: { method: string; path: string; headers: Record<string, string> },
): ClientRequest {
  return request({ host: '127.0.0.1', port, agent: false, ...options })
}
