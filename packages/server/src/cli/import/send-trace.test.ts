import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createSendTrace, type SendTraceOutcome } from './send-trace.ts'

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) => answer(response, request, body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function outcomeOf(answer: Answer, body = Buffer.from('{}')): Promise<SendTraceOutcome> {
  const send = createSendTrace({ url: await serve(answer), apiKey: 'key' })
  return send(body, 'line-1', new AbortController().signal)
}

function problem(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body))
}

test('sends exactly the bytes of the line, with both keys, and tells a commit from a replay', async () => {
  const whole = Buffer.from('xx{"é":1}yy')
  let seen: unknown
  const committed = await outcomeOf(
    (response, { method, url, headers }, body) => {
      seen = [method, url, body, headers['x-api-key'], headers['idempotency-key'], headers['content-type']]
      response.writeHead(202).end('{}')
    },
    whole.subarray(2, -2),
  )
  assert.deepEqual(seen, ['POST', '/v1/traces', '{"é":1}', 'key', 'line-1', 'application/json'])
  assert.deepEqual(committed, { kind: 'committed' })
  const replayed = await outcomeOf((response) => response.writeHead(202, { 'idempotency-replayed': 'true' }).end())
  assert.deepEqual(replayed, { kind: 'replayed' })
})

const EXPORT = '{"resourceSpans":[ ]}'

test('what a recorder has kept is sent where it belongs, with the bytes of its body', async () => {
  const seen: unknown[] = []
  const url = await serve((response, { method, headers, url: path }, body) => {
    seen.push([method, path, body, headers['idempotency-key']])
    response.writeHead(path === '/v1/metrics/events' ? 201 : 200).end('{}')
  })
  const send = createSendTrace({ url, apiKey: 'key' })
  const trace = '0af7651916cd43dd8448eb211c80319c'
  for (const line of [
    `{"kind":"spans","body":${EXPORT}}`,
    ` { "kind": "metric", "path": "/v1/metrics/events", "body": {"metric": "m",  "value": 1.0} }`,
    `{"kind":"flag","path":"/v1/traces/${trace}","body":{"flagged":true}}`,
  ]) {
    assert.deepEqual(await send(Buffer.from(line), 'unused', new AbortController().signal), { kind: 'committed' })
  }
  assert.deepEqual(seen, [
    ['POST', '/otlp/v1/traces', EXPORT, undefined],
    ['POST', '/v1/metrics/events', '{"metric": "m",  "value": 1.0}', undefined],
    ['PATCH', `/v1/traces/${trace}`, '{"flagged":true}', undefined],
  ])
})

test('a line of a recorder that is none is refused without a request', async () => {
  const never: Answer = () => assert.fail('a request was sent')
  for (const line of [
    '{"kind":"other","body":{}}',
    '{"kind":"spans"}',
    '{"kind":"flag","path":"/v1/projects/x","body":{}}',
    '{"kind":"flag","path":"//other.test/v1/traces/x","body":{}}',
    '{"kind":"flag","path":"/v1/traces/../keys","body":{}}',
    '{"kind":"metric","body":{}}',
    '{"kind":1,"body":{}}',
    '{"kind":"spans","body":{}',
  ]) {
    const outcome = await outcomeOf(never, Buffer.from(line))
    assert.equal(outcome.kind === 'refused' && outcome.code, 'malformed_line', line)
  }
})

test('refused spans and refused calls are refusals of their line', async () => {
  const line = Buffer.from(`{"kind":"spans","body":${EXPORT}}`)
  const partial = { partialSuccess: { rejectedSpans: '2', errorMessage: 'bad span id' } }
  assert.deepEqual(await outcomeOf(problem(200, partial), line), {
    kind: 'refused',
    code: 'spans_refused',
    detail: '2 spans of the line: bad span id',
  })
  // A note, about metrics for example.
  const note = { partialSuccess: { rejectedSpans: '0', errorMessage: 'no such option' } }
  assert.deepEqual(await outcomeOf(problem(200, note), line), { kind: 'committed' })
  assert.deepEqual(await outcomeOf(problem(400, { code: 3, message: 'bad_request: no spans' }), line), {
    kind: 'refused',
    code: 'http_400',
    detail: 'bad_request: no spans',
  })
  const flag = Buffer.from('{"kind":"flag","path":"/v1/traces/x","body":{}}')
  assert.deepEqual(await outcomeOf(problem(404, { code: 'not_found', detail: 'No trace.' }), flag), {
    kind: 'refused',
    code: 'not_found',
    detail: 'No trace.',
  })
  assert.equal((await outcomeOf(problem(404, { code: 'not_found' }), line)).kind, 'fatal')
})

test('a service below a path prefix is reached there', async () => {
  const paths: (string | undefined)[] = []
  const url = await serve((response, request) => {
    paths.push(request.url)
    response.writeHead(202).end()
  })
  for (const base of [`${url}/spoor`, `${url}/spoor/`]) {
    await createSendTrace({ url: base, apiKey: 'key' })(Buffer.from('{}'), 'line-1', new AbortController().signal)
  }
  assert.deepEqual(paths, ['/spoor/v1/traces', '/spoor/v1/traces'])
})

test('the errors of a line are reported field by field', async () => {
  const body = {
    code: 'validation_failed',
    detail: 'Two problems.',
    errors: [
      { pointer: '/name', code: 'required', detail: 'Missing.' },
      { pointer: '', code: 'wrong_type', detail: 'Odd.' },
    ],
  }
  const expected = { kind: 'refused', code: 'validation_failed', detail: '/name Missing.; Odd.' }
  assert.deepEqual(await outcomeOf(problem(422, body)), expected)
  assert.deepEqual(await outcomeOf(problem(400, { code: 'malformed_json', detail: 'No JSON.' })), {
    kind: 'refused',
    code: 'malformed_json',
    detail: 'No JSON.',
  })
})

test('a trace with wrong values is sent without them, under a key of its own, and says so', async () => {
  const line =
    '{"name": "a", "metadata": {"exact": 1.0}, "steps": [{"name": "b", "token_usage": {"input": -5, "output": 3}}]}'
  const seen: unknown[] = []
  const send = createSendTrace({
    url: await serve((response, { headers }, body) => {
      const trace = JSON.parse(body) as { steps: { token_usage: { input?: number } }[] }
      const isBad = trace.steps[0]!.token_usage.input !== undefined
      seen.push([headers['idempotency-key'], isBad ? body : trace.steps])
      if (!isBad) assert.match(body, /"exact":1\.0/)
      const errors = [{ pointer: '/steps/0/token_usage/input', code: 'out_of_range', detail: 'Too small.' }]
      response.writeHead(isBad ? 422 : 202).end(isBad ? JSON.stringify({ code: 'validation_failed', errors }) : '{}')
    }),
    apiKey: 'key',
  })
  const change = { code: 'validation_failed', detail: '/steps/0/token_usage/input Too small.' }
  const told = [{ field: 'token_usage.input', problem: 'Too small.', value: -5 }]
  for (let time = 1; time <= 2; time++) {
    assert.deepEqual(await send(Buffer.from(line), 'line-1', new AbortController().signal), {
      kind: 'committed',
      change,
    })
  }
  const mended = [{ name: 'b', token_usage: { output: 3 }, metadata: { 'spoor.problems': told } }]
  assert.deepEqual(seen.slice(0, 2), [
    ['line-1', line],
    ['line-1-changed-1', mended],
  ])
  assert.deepEqual(seen.slice(2), seen.slice(0, 2), 'a second import sends the same')
})

test('a line that is no trace, or whose status is not known, is not made one', async () => {
  for (const error of [
    { pointer: '/name', code: 'required', detail: 'It is missing.' },
    { pointer: '/inputs', code: 'unknown_field', detail: 'There is no such field.' },
    { pointer: '/steps', code: 'too_many', detail: 'A trace body must have at most 50000 steps; append the others.' },
    { pointer: '/steps/0/status', code: 'invalid_value', detail: 'It must be one of ok, error.' },
  ]) {
    let requests = 0
    const outcome = await outcomeOf((response) => {
      requests += 1
      response.writeHead(422).end(JSON.stringify({ code: 'validation_failed', errors: [error] }))
    })
    assert.deepEqual([outcome.kind, requests], ['refused', 1])
  }
})

test('an overload is waited out as long as the service asks', async () => {
  const busy = { code: 'queue_full', detail: 'Full.' }
  const expected = { kind: 'unavailable', reason: 'queue_full: Full.', retryAfterMs: 3000 }
  assert.deepEqual(await outcomeOf(problem(503, busy, { 'retry-after': '3' })), expected)
  const dates = { 'retry-after': 'Fri, 30 Jan 2026 12:00:07 GMT', date: 'Fri, 30 Jan 2026 12:00:00 GMT' }
  assert.deepEqual(await outcomeOf(problem(503, busy, dates)), { ...expected, retryAfterMs: 7000 })
  assert.deepEqual(await outcomeOf(problem(503, busy, { 'retry-after': 'soon' })), { ...expected, retryAfterMs: 0 })
  assert.deepEqual(await outcomeOf((response) => response.writeHead(502).end('<html>')), {
    kind: 'unavailable',
    reason: 'http_502: The answer had status 502.',
    retryAfterMs: 0,
  })
})

test('an internal error of the service is recognised as one', async () => {
  const expected = { kind: 'broken', code: 'internal_error', detail: 'See the log.' }
  assert.deepEqual(await outcomeOf(problem(500, { code: 'internal_error', detail: 'See the log.' })), expected)
})

test('a wrong key, a wrong path and a redirect end the import, and the key is not sent to the target of a redirect', async () => {
  const wrongKey = await outcomeOf(problem(401, { code: 'unauthorized', detail: 'No.' }))
  assert.deepEqual(wrongKey, { kind: 'fatal', reason: 'unauthorized: No.' })
  assert.equal((await outcomeOf(problem(404, {}))).kind, 'fatal')
  let followed = false
  const elsewhere = await serve((response) => {
    followed = true
    response.writeHead(202).end()
  })
  const redirected = await outcomeOf((response) => response.writeHead(307, { location: elsewhere }).end())
  assert.ok(redirected.kind === 'fatal' && redirected.reason.includes(elsewhere))
  assert.equal(followed, false)
})

test('a refused or cut connection can be retried, and says why', async () => {
  const cut = await outcomeOf((response) => response.destroy())
  assert.ok(cut.kind === 'unavailable' && /SOCKET|ECONNRESET/.test(cut.reason), JSON.stringify(cut))
  const half = await outcomeOf((response) => {
    response.writeHead(202, { 'content-length': '100' })
    response.write('{')
    setImmediate(() => response.destroy())
  })
  assert.equal(half.kind, 'unavailable')
})

test('a request in flight ends when the import is abandoned', async () => {
  const abandon = new AbortController()
  const url = await serve(() => abandon.abort())
  const outcome = await createSendTrace({ url, apiKey: 'key' })(Buffer.from('{}'), 'line-1', abandon.signal)
  assert.equal(outcome.kind, 'unavailable')
})
