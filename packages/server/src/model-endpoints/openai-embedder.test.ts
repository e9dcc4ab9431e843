import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { EndpointFailure } from '../clusters/discovery/endpoint-failure.ts'
import { type AnswerRequest, sendJson, sendVectors, startModelServer, textsIn } from './model-server.test-support.ts'
import { OpenAiEmbedder } from './openai-embedder.ts'
import { passTime } from './pass-time.test-support.ts'

const API_KEY = 'sk-very-secret'
/** A text becomes its length and a one. */
const answerAll: AnswerRequest = (request, response) =>
  sendVectors(
    response,
    textsIn(request).map((text) => [text.length, 1]),
  )

async function world(context: TestContext, answer: AnswerRequest = answerAll, apiKey: string | null = API_KEY) {
  const server = await startModelServer(answer)
  context.after(() => server.close())
  const timers = new ManualTimers()
  const embedder = new OpenAiEmbedder(
    { url: server.url, model: 'small', apiKey },
    { timers, clock: timers, random: () => 0 },
  )
  /** Waits for as long as the embedder requests, without taking time. */
  const untilPending = async (count: number) => {
    while (timers.pending !== count) await new Promise((go) => setImmediate(go))
  }
  /** Up to the waits between tries, which are shorter than the limit of a request. */
  const patiently = <T>(asked: Promise<T>): Promise<T> => passTime(timers, asked, 30_000)
  return { server, timers, embedder, untilPending, patiently }
}

const unit = (x: number, y: number) => Float32Array.of(x / Math.hypot(x, y), y / Math.hypot(x, y))
const refuse =
  (status: number, headers: Record<string, string> = {}, body = 'no'): AnswerRequest =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body)
/** This handler for so many requests, then the normal one. */
const at =
  (times: number, first: AnswerRequest): AnswerRequest =>
  (request, response, number) =>
    (number <= times ? first : answerAll)(request, response, number)
const messageOf = async (asked: Promise<unknown>): Promise<string> => {
  const error = await asked.then(
    () => assert.fail('it was answered'),
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof EndpointFailure, String(error))
  assert.ok(!error.message.includes(API_KEY) && !error.stack?.includes(API_KEY))
  return error.message
}

test('sends texts in batches, with the key, and puts vectors into the order of the texts', async (context) => {
  const { server, embedder, timers } = await world(context)
  const texts = Array.from({ length: 70 }, (_, index) => 'x'.repeat(index + 1))
  const vectors = await embedder.embed(texts, 'many')
  assert.deepEqual(
    vectors,
    texts.map(({ length }) => unit(length, 1)),
  )
  assert.deepEqual(server.requests.map((request) => textsIn(request).length).toSorted(), [32, 32, 6])
  const [first] = server.requests
  assert.deepEqual([first?.path, first?.authorization], ['/v1/embeddings', `Bearer ${API_KEY}`])
  assert.deepEqual(Object.keys(JSON.parse(first!.body) as object), ['model', 'input', 'encoding_format'])
  assert.equal(timers.pending, 0)
  assert.deepEqual(await embedder.embed([], 'many'), [])
})

test('batches are bounded by bytes, too; a self-hosted server needs no key', async (context) => {
  const { server, embedder } = await world(context, answerAll, null)
  await embedder.embed(['é'.repeat(30_000), 'é'.repeat(30_000), 'a', 'é'.repeat(60_000)], 'many')
  assert.deepEqual(server.requests.map((request) => textsIn(request).length).toSorted(), [1, 1, 2])
  assert.equal(server.requests[0]?.authorization, undefined)
})

test('there are never more than four concurrent requests', async (context) => {
  let running = 0
  let most = 0
  const { embedder } = await world(context, (request, response, number) => {
    most = Math.max(most, ++running)
    setImmediate(() => {
      running--
      answerAll(request, response, number)
    })
  })
  await embedder.embed(
    Array.from({ length: 400 }, () => 'text'),
    'many',
  )
  assert.ok(most > 1 && most <= 4, `${most} at once`)
})

test('temporary failures are retried, not before Retry-After', async (context) => {
  const { server, embedder, timers, untilPending } = await world(context, at(1, refuse(429, { 'retry-after': '7' })))
  const asked = embedder.embed(['a'], 'many')
  while (server.requests.length === 0) await new Promise((go) => setImmediate(go))
  // From the limit of the request to the wait after it.
  while (timers.nextAt !== 7000) await new Promise((go) => setImmediate(go))
  timers.advance(6999)
  assert.equal(server.requests.length, 1)
  timers.advance(1)
  assert.deepEqual(await asked, [unit(1, 1)])
  assert.equal(server.requests.length, 2)
  await untilPending(0)
})

test('errors of the server and of the connection are retried', async (context) => {
  for (const first of [refuse(500), refuse(503), refuse(408), ((_, response) => response.destroy()) as AnswerRequest]) {
    const { embedder, patiently, server } = await world(context, at(2, first))
    assert.deepEqual(await patiently(embedder.embed(['a'], 'many')), [unit(1, 1)])
    assert.equal(server.requests.length, 3)
  }
})

test('retries end by number, by time, or at once with a hurried caller', async (context) => {
  const busy = await world(context, refuse(429))
  const message = await messageOf(busy.patiently(busy.embedder.embed(['a'], 'many')))
  assert.equal(
    message,
    'The embedding endpoint answered 429 at the last of 6 tries: "no". Try again later, or raise its limits. Its earlier answers are stored, so that another try continues from there.',
  )
  assert.equal(busy.server.requests.length, 6)
  busy.server.answer = refuse(429, { 'retry-after': '3600' })
  await messageOf(busy.embedder.embed(['a'], 'many'))
  assert.equal(busy.server.requests.length, 7)
  busy.server.answer = refuse(503)
  await messageOf(busy.embedder.embed(['a'], 'one'))
  assert.equal(busy.server.requests.length, 8)
  assert.equal(busy.timers.pending, 0)
})

test('a request that gets no answer, or an incomplete one, is given up', async (context) => {
  const silent: AnswerRequest = () => undefined
  const stalling: AnswerRequest = (_request, response) => void response.writeHead(200).write('{"data":')
  for (const answer of [silent, stalling]) {
    const { embedder, server, timers, untilPending } = await world(context, answer)
    const asked = messageOf(embedder.embed(['a'], 'one'))
    while (server.requests.length === 0) await new Promise((go) => setImmediate(go))
    timers.advance(60_000)
    assert.match(await asked, /^The embedding endpoint did not answer within 60 s\. Check that it runs/)
    await untilPending(0)
  }
})

test('a missing server is reported by an error code, without its address', async (context) => {
  const { embedder, server, patiently } = await world(context)
  await server.close()
  const message = await messageOf(patiently(embedder.embed(['a'], 'many')))
  assert.match(message, /^The embedding endpoint could not be reached \(ECONNREFUSED\) at the last of 6 tries\./)
  assert.ok(!message.includes('127.0.0.1'))
})

test('a permanent failure fails at once, says what to do, and quotes the answer without secrets and control characters', async (context) => {
  const cases: readonly (readonly [AnswerRequest, RegExp])[] = [
    [
      refuse(401, {}, `bad key ${API_KEY}\u0000\u001b[31m\n\u202eend`),
      /answered 401: "bad key … \[31m end"\. Check SPOOR_EMBEDDINGS_API_KEY\.$/,
    ],
    [refuse(404, {}, ''), /answered 404\. Check SPOOR_EMBEDDINGS_URL and SPOOR_EMBEDDINGS_MODEL\.$/],
    [refuse(400, {}, 'x'.repeat(5000)), new RegExp(`answered 400: "x{200}"\\.`)],
    [refuse(302, { location: 'http://127.0.0.1:1/' }), /answered 302: "no"\. Redirects are not followed/],
  ]
  for (const [answer, expected] of cases) {
    const { embedder, server } = await world(context, answer)
    assert.match(await messageOf(embedder.embed(['a'], 'many')), expected)
    assert.equal(server.requests.length, 1)
  }
})

test('an answer that is too long is not read to its end', async (context) => {
  const { embedder } = await world(context, (_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(1024 * 1024)));
    }
    response.on('drain', more)
    more()
  })
  assert.match(await messageOf(embedder.embed(['a'], 'many')), /answered with more than 16777216 bytes/)
})

test('a malformed answer is refused, whatever its error', async (context) => {
  const vector = (index: unknown, embedding: unknown = [1, 2]) => ({ index, embedding })
  const wrong: readonly unknown[] = [
    [],
    {},
    null,
    { data: 7 },
    { data: [vector(0)] },
    { data: [vector(0), vector(1), vector(2)] },
    { data: [vector(0), vector(0)] },
    { data: [vector(0), vector(2)] },
    { data: [vector(0), vector('1')] },
    { data: [vector(0), vector(-1)] },
    { data: [vector(0), vector(0.5)] },
    { data: [vector(0), null] },
    { data: [vector(0), vector(1, [1])] },
    { data: [vector(0), vector(1, [])] },
    { data: [vector(0), vector(1, [0, 0])] },
    { data: [vector(0), vector(1, [null, 1])] },
    { data: [vector(0), vector(1, ['1', 1])] },
    { data: [vector(0), vector(1, 'AAAA')] },
    { data: [vector(0), vector(1, { 0: 1, length: 1 })] },
    { data: [vector(0), vector(1, [1e308, 1e308])] },
  ]
  const { embedder, server } = await world(context)
  for (const value of wrong) {
    server.answer = (_request, response) => sendJson(response, value)
    assert.match(await messageOf(embedder.embed(['a', 'b'], 'many')), /^The embedding endpoint answered /)
  }
  for (const text of [
    '',
    'hello',
    '<html>',
    '{"data":[{"index":0,"embedding":[NaN]}]}',
    '{"data":[{"index":0,"embedding":[1e999]}]}',
  ]) {
    server.answer = (_request, response) => void response.writeHead(200).end(text)
    await messageOf(embedder.embed(['a'], 'many'))
  }
  assert.equal(server.requests.length, wrong.length + 5)
})

test('vectors of two batches have one length', async (context) => {
  const { embedder } = await world(context, (request, response) => {
    const texts = textsIn(request)
    sendVectors(
      response,
      texts.map(() => (texts.length === 32 ? [1, 2] : [1, 2, 3])),
    )
  })
  const asked = embedder.embed(
    Array.from({ length: 40 }, () => 'text'),
    'many',
  )
  assert.match(await messageOf(asked), /vectors of different lengths/)
})
