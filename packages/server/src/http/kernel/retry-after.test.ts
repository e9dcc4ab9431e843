import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { ERRORS, type ErrorCode } from '@spoor/contract/errors'
import { DomainError } from '../../lib/domain-error.ts'
import { exportJson, toProtobuf } from '../../traces/otlp/spans.test-support.ts'
import { answerWithoutRequest } from '../connections/broken-connection.ts'
import { errorTrailers } from '../otlp/grpc/grpc-status.ts'
import { createHttpWorld } from '../test-world/http-world.test-support.ts'
import { sendTo, type TestRequest, TRANSPORTS } from '../test-world/transports.test-support.ts'
import { toProblem } from './problem.ts'

const REFUSALS = Object.entries(ERRORS).flatMap(([code, { status }]) =>
  status === 503 || status === 429 ? [{ code: code as ErrorCode, status }] : [],
)
const ASKED_SECONDS = 7
const RUN = '01a21a21-3072-71dc-9316-87aed2b4c901'
const spans = exportJson([{ name: 'a' }])

const post = (path: string, body: object | Buffer, type = 'application/json'): TestRequest => ({
  method: 'POST',
  path,
  headers: { 'x-api-key': 'own', 'content-type': type },
  body: Buffer.isBuffer(body) ? body : JSON.stringify(body),
})
const get = (path: string): TestRequest => ({ path, headers: { 'x-api-key': 'own' } })

/** A request of each kind of answer. */
const OWN_API: readonly TestRequest[] = [
  get('/v1/traces'),
  get('/v1/export?what=traces&format=csv'),
  post('/v1/traces', { name: 'run' }),
  post('/runs', { id: RUN, trace_id: RUN, name: 'agent', run_type: 'chain' }),
  post('/api/public/ingestion', { batch: [{ id: '0', type: 'trace-create', body: { id: RUN } }] }),
]
const OTLP: readonly TestRequest[] = [
  post('/v1/traces', spans),
  post('/otlp/v1/traces', spans),
  post('/otlp/v1/traces', toProtobuf(spans), 'application/x-protobuf'),
]
const TOOL = post('/mcp', {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_traces', arguments: {} },
})

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  test(`every answer of 503 and 429 says when to retry, over ${name}`, async () => {
    const world = createHttpWorld()
    const send = await connect(world.app)
    for (const { code, status } of REFUSALS) {
      for (const [given, seconds] of [
        [{ retryAfterSeconds: ASKED_SECONDS }, String(ASKED_SECONDS)],
        [{}, '1'],
      ] as const) {
        const error = new DomainError(code, 'Not now.', given)
        world.traces.failure = error
        world.traces.list = () => Promise.reject(error)
        const answered = async (request: TestRequest) => {
          const { status: found, headers } = await send(request)
          return [`${code} ${request.path}`, found, headers['retry-after']]
        }
        for (const request of OWN_API)
          assert.deepEqual(await answered(request), [`${code} ${request.path}`, status, seconds])
        // Exporters wait a few seconds at most; for a limit of a key, as long as it takes.
        const ofExport = status === 503 ? '1' : seconds
        for (const request of OTLP)
          assert.deepEqual(await answered(request), [`${code} ${request.path}`, status, ofExport])
        const tool = await send({
          ...TOOL,
          headers: { ...TOOL.headers, accept: 'application/json, text/event-stream' },
        })
        assert.match(tool.text, new RegExp(`${code}: Not now\\.\\\\nRetry after ${seconds} s\\.`))
      }
    }
  })
}

test('calls over gRPC, connections that are refused, and a service that is not ready say when to retry', async () => {
  const requestId = 'request'
  for (const { code, status } of REFUSALS) {
    const error = new DomainError(code, 'Not now.', { retryAfterSeconds: ASKED_SECONDS })
    const { 'grpc-status-details-bin': details } = errorTrailers(toProblem(error, requestId))
    const seconds = String.fromCharCode(status === 503 ? 1 : ASKED_SECONDS)
    const retryInfo = `type.googleapis.com/google.rpc.RetryInfo\u0012\u0004\n\u0002\u0008${seconds}`
    assert.ok(Buffer.from(String(details), 'base64').toString('latin1').endsWith(retryInfo), code)
    const server = createServer((socket) => answerWithoutRequest(socket, error, requestId)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { headers } = await sendTo(port, get('/'))
    assert.equal(headers['retry-after'], String(ASKED_SECONDS), code)
    server.close()
  }
  const { app, readiness } = createHttpWorld()
  const send = await TRANSPORTS['memory']!(app)
  assert.equal((await send({ path: '/readyz' })).headers['retry-after'], undefined)
  readiness.report('telemetry', 'not open')
  const { status, headers } = await send({ path: '/readyz' })
  assert.deepEqual([status, headers['retry-after']], [503, '1'])
})
