import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, test } from 'node:test'
import { DomainError } from '../../../lib/domain-error.ts'
import { createHttpWorld, type HttpWorldOptions } from '../../test-world/http-world.test-support.ts'
import { listen, type Send, sendTo, TRANSPORTS } from '../../test-world/transports.test-support.ts'

const OWN = { 'x-api-key': 'own', 'content-type': 'application/json' }
const FOREIGN = { ...OWN, 'x-api-key': 'foreign' }
const LINES = { ...OWN, 'content-type': 'application/x-ndjson' }
const NO_TRACE = `tr_${'0'.repeat(26)}`
const NO_STEP = `st_${'0'.repeat(26)}`
const NOW = 1_700_000_000_000

async function setUp(
  connect: (app: ReturnType<typeof createHttpWorld>['app']) => Promise<Send>,
  options: HttpWorldOptions = {},
) {
  const world = createHttpWorld(options)
  const send = await connect(world.app)
  const json = async (path: string, body: object, headers = OWN) =>
    (await send({ method: 'POST', path, headers, body: JSON.stringify(body) })).json()
  const { id: trace, step_ids } = await json('/v1/traces', { name: 'run', steps: [{ name: 's' }] })
  const { id: theirs, step_ids: theirSteps } = await json(
    '/v1/traces',
    { name: 'run', steps: [{ name: 's' }] },
    FOREIGN,
  )
  await json('/v1/metrics', { name: 'solved', kind: 'boolean' })
  await json('/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 1 })
  await json('/v1/metrics', { name: 'tone', kind: 'enum', options: [{ value: 'kind' }] })
  await json('/v1/metrics', { name: 'secret', kind: 'boolean' }, FOREIGN)
  const post = (body: object | string, headers: Record<string, string> = OWN) =>
    send({
      method: 'POST',
      path: '/v1/metrics/events',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const list = async (query = '') => (await send({ path: `/v1/metrics/events${query}`, headers: OWN })).json()
  return { ...world, send, post, list, trace, step: step_ids[0] as string, theirs, theirStep: theirSteps[0] as string }
}

for (const [name, connect] of Object.entries(TRANSPORTS)) {
  describe(`metric events over ${name}`, () => {
    test('an event is removed by the key that recorded it, or one with manage, and by no other', async () => {
      const { post, list, send, trace } = await setUp(connect)
      const made = (await post({ name: 'solved', trace_id: trace, passed: true, idempotency_key: 'k' })).json()
      const remove = async (key: string, id: string) =>
        (await send({ method: 'DELETE', path: `/v1/metrics/events/${id}`, headers: { 'x-api-key': key } })).status
      assert.equal(await remove('foreign', made.id), 404)
      assert.equal(await remove('writer', made.id), 403)
      assert.equal(await remove('own', `mev_${'0'.repeat(26)}`), 404)
      assert.equal((await list()).events.length, 1)
      assert.equal(await remove('own', made.id), 204)
      assert.equal((await list()).events.length, 0)
      assert.equal(await remove('own', made.id), 404)
      const again = (await post({ name: 'solved', trace_id: trace, passed: false, idempotency_key: 'k' })).json()
      assert.equal(again.passed, false)
      assert.match(again.created_by, /^key_/)
    })

    test('an event is recorded, and is in the list and in its trace', async () => {
      const { post, list, send, trace, step } = await setUp(connect)
      const metadata = '{"evaluator": "exact",  "big": 12345678901234567890.10}'
      const made = await post(
        `{"name":"reward","trace_id":"${trace}","step_id":"${step}","value":-0,"source":"llm","comment":"no","metadata":${metadata},"at":"2023-11-14T22:00:00Z"}`,
      )
      assert.equal(made.status, 201, made.text)
      const { id, metadata: _metadata, created_by: by, ...rest } = made.json()
      assert.match(id, /^mev_/)
      assert.match(by, /^key_/)
      assert.ok(made.text.includes(`"metadata":${metadata}`), made.text)
      assert.deepEqual(rest, {
        name: 'reward',
        trace_id: trace,
        step_id: step,
        passed: null,
        value: 0,
        source: 'llm',
        comment: 'no',
        idempotency_key: null,
        at: '2023-11-14T22:00:00.000Z',
        created_at: new Date(NOW).toISOString(),
      })
      assert.deepEqual((await list()).events, [made.json()])
      const whole = await send({ path: `/v1/traces/${trace}`, headers: OWN })
      assert.deepEqual(whole.json().metric_events, [made.json()])
      assert.equal(whole.json().steps.length, 1)
      assert.ok(whole.text.includes(`"metadata":${metadata}`))
    })

    test('each error of an event has its own code, the same alone and in a batch', async () => {
      const { post, list, trace, theirs, theirStep } = await setUp(connect)
      const good = { name: 'solved', trace_id: trace, passed: true }
      const cases: readonly (readonly [object | string, string, string | null])[] = [
        [{ ...good, name: 'sloved' }, 'undefined_metric', '/name'],
        [{ ...good, name: 'secret' }, 'undefined_metric', '/name'],
        [{ ...good, trace_id: NO_TRACE }, 'unknown_trace', '/trace_id'],
        [{ ...good, trace_id: theirs }, 'unknown_trace', '/trace_id'],
        [{ ...good, trace_id: theirs, step_id: theirStep }, 'unknown_trace', '/trace_id'],
        [{ ...good, trace_id: 'tr_1' }, 'unknown_trace', '/trace_id'],
        [{ ...good, step_id: NO_STEP }, 'unknown_step', '/step_id'],
        [{ ...good, step_id: theirStep }, 'unknown_step', '/step_id'],
        [{ name: 'solved', trace_id: trace, value: 1 }, 'wrong_metric_kind', '/value'],
        [{ ...good, name: 'reward' }, 'wrong_metric_kind', '/passed'],
        [{ name: 'reward', trace_id: trace, value: '1' }, 'wrong_metric_kind', '/value'],
        [{ name: 'reward', trace_id: trace, value: 1.01 }, 'value_out_of_range', '/value'],
        [`{"name":"reward","trace_id":"${trace}","value":1e400}`, 'value_out_of_range', '/value'],
        [{ name: 'tone', trace_id: trace, value: 'rude' }, 'unknown_option', '/value'],
        [{ ...good, value: 1 }, 'validation_failed', '/value'],
        [{ ...good, pased: true }, 'validation_failed', '/pased'],
        [{ ...good, comment: 'x'.repeat(10_001) }, 'validation_failed', '/comment'],
        [{ ...good, at: '2023-11-14T22:18:20.001Z' }, 'validation_failed', '/at'],
        [`{"name":"solved","trace_id":"${trace}","passed":true,"passed":true}`, 'validation_failed', '/passed'],
        ['7', 'validation_failed', null],
      ]
      const texts = cases.map(([body]) => (typeof body === 'string' ? body : JSON.stringify(body)))
      const batch = await post(`[${texts.join(', ')}]`)
      const lines = await post(texts.join('\n'), LINES)
      assert.deepEqual([batch.status, lines.status], [207, 207])
      assert.deepEqual(batch.json().results, lines.json().results)
      for (const [index, [, code, pointer]] of cases.entries()) {
        const alone = await post(texts[index] as string)
        const label = `${texts[index]?.slice(0, 120)}: ${alone.text}`
        assert.deepEqual([alone.status, alone.json().code], [422, code], label)
        assert.equal(alone.json().errors[0].pointer, pointer ?? '', label)
        const result = batch.json().results[index]
        assert.deepEqual(
          [result.line, result.status, result.code, result.pointer],
          [index + 1, 'error', code, pointer],
          label,
        )
      }
      assert.deepEqual((await list()).events, [])
    })

    test('resources of another project do not exist', async () => {
      const { post, trace, theirs, theirStep } = await setUp(connect)
      const detailOf = async (body: object) => (await post({ passed: true, ...body })).json().detail
      const good = { name: 'solved', trace_id: trace }
      assert.equal(await detailOf({ ...good, trace_id: theirs }), await detailOf({ ...good, trace_id: NO_TRACE }))
      assert.equal(await detailOf({ ...good, step_id: theirStep }), await detailOf({ ...good, step_id: NO_STEP }))
      const ofSecret = await detailOf({ ...good, name: 'secret' })
      assert.equal(ofSecret, (await detailOf({ ...good, name: 'nowhere' })).replace('nowhere', 'secret'))
    })

    test('a retry returns the first event; the same key with different content is refused', async () => {
      const { post, list, trace } = await setUp(connect)
      const event = { name: 'solved', trace_id: trace, passed: true, idempotency_key: 'k' }
      const first = await post(event)
      const again = await post(event)
      assert.deepEqual([first.status, again.status, again.text], [201, 200, first.text])
      assert.deepEqual(
        [first.headers['idempotency-replayed'], again.headers['idempotency-replayed']],
        [undefined, 'true'],
      )
      const other = await post({ ...event, passed: false })
      assert.deepEqual([other.status, other.json().code], [409, 'idempotency_conflict'])
      const batch = await post([
        event,
        { ...event, passed: false },
        { ...event, idempotency_key: 'l' },
        { ...event, idempotency_key: 'l' },
      ])
      const { results } = batch.json()
      assert.deepEqual(
        results.map(({ status }: { status: string }) => status),
        ['duplicate', 'error', 'created', 'duplicate'],
      )
      assert.equal(results[0].event_id, first.json().id)
      assert.equal(results[3].event_id, results[2].event_id)
      assert.deepEqual([results[1].code, results[1].pointer], ['idempotency_conflict', '/idempotency_key'])
      assert.equal((await list()).events.length, 2)
    })

    test('an accepted batch is 200, also an empty one; blank lines count', async () => {
      const { post, trace } = await setUp(connect)
      const event = JSON.stringify({ name: 'solved', trace_id: trace, passed: true })
      const array = await post(` [${event},${event}] `)
      assert.deepEqual([array.status, array.json().errors, array.json().results.length], [200, false, 2])
      const lines = await post(`${event}\n\n${event}`, LINES)
      assert.deepEqual([lines.status, lines.json().results[1].line], [200, 3])
      for (const [body, headers] of [
        ['[]', OWN],
        ['', LINES],
      ] as const) {
        const empty = await post(body, headers)
        assert.deepEqual([empty.status, empty.json()], [200, { errors: false, results: [] }])
      }
    })

    test('verdicts are lines if the client accepts NDJSON', async () => {
      const { post, trace } = await setUp(connect)
      const event = JSON.stringify({ name: 'solved', trace_id: trace, passed: true })
      for (const [body, headers] of [
        [`${event}\n{`, LINES],
        [`[${event},{}]`, OWN],
      ] as const) {
        const answer = await post(body, { ...headers, accept: 'application/x-ndjson' })
        assert.deepEqual([answer.status, answer.headers['content-type']], [200, 'application/x-ndjson'])
        const results = answer.text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line))
        assert.deepEqual(
          results.map(({ line, status }) => [line, status]),
          [
            [1, 'created'],
            [2, 'error'],
          ],
        )
      }
    })

    test('refuses the whole request: other types, malformed JSON, too large, too many, too deep', async () => {
      const limits = {
        metricEventBytes: 1024,
        metricBatchBytes: 4096,
        linesPerJsonResponse: 3,
        ndjsonRequestBytes: 8192,
      }
      const { post, list, trace } = await setUp(connect, { limits })
      const event = JSON.stringify({ name: 'solved', trace_id: trace, passed: true })
      const big = JSON.stringify({ name: 'solved', trace_id: trace, passed: true, comment: 'x'.repeat(1024) })
      const code = async (body: string, headers = OWN) => {
        const answer = await post(body, headers)
        return [answer.status, answer.json().errors?.[0]?.code ?? answer.json().code]
      }
      assert.deepEqual(await code(event, { ...OWN, 'content-type': 'text/plain' }), [415, 'unsupported_media_type'])
      assert.deepEqual(await code(`[${event},`), [400, 'malformed_json'])
      assert.deepEqual(await code(`[${event} ${event}]`), [400, 'malformed_json'])
      assert.deepEqual(await code(''), [400, 'malformed_json'])
      assert.deepEqual(await code(big), [413, 'payload_too_large'])
      assert.deepEqual(await code(`[${event}${' '.repeat(4096)}]`), [413, 'payload_too_large'])
      assert.deepEqual(await code('x'.repeat(8193), LINES), [413, 'payload_too_large'])
      assert.deepEqual(await code('[1,2,3,4]'), [422, 'too_many'])
      assert.deepEqual(await code(`[${'['.repeat(65)}${']'.repeat(65)}]`), [422, 'too_deep'])
      assert.deepEqual((await list()).events, [])
      const mixed = (await post(`[${event},${big}]`)).json().results
      assert.deepEqual([mixed[0].status, mixed[1].code], ['created', 'line_too_large'])
      const lines = (await post(`${event}\n${big}\n${event}\n${event}\n`, LINES)).json().results
      assert.deepEqual(
        lines.map((result: { code?: string; status: string }) => result.code ?? result.status),
        ['created', 'line_too_large', 'created', 'too_many_lines'],
      )
    })

    test('a change of the definition applies to the next event', async () => {
      const { post, send, trace } = await setUp(connect)
      const event = { name: 'reward', trace_id: trace, value: 4 }
      assert.equal((await post(event)).status, 422)
      const body = JSON.stringify({ max: 4 })
      assert.equal((await send({ method: 'PATCH', path: '/v1/metrics/reward', headers: OWN, body })).status, 200)
      assert.equal((await post(event)).status, 201)
      assert.equal((await post({ ...event, name: 'late' })).status, 422)
      await send({ method: 'POST', path: '/v1/metrics', headers: OWN, body: '{"name":"late","kind":"numeric"}' })
      assert.equal((await post({ ...event, name: 'late' })).status, 201)
    })

    test('the list can be filtered, is paged newest first, and has no events of other projects', async () => {
      const { post, list, send, trace, step, theirs } = await setUp(connect)
      const at = (second: number) => new Date(NOW - 100_000 + second * 1000).toISOString()
      const events = Array.from({ length: 9 }, (_, i) => ({
        name: i % 2 === 0 ? 'solved' : 'reward',
        trace_id: trace,
        ...(i % 2 === 0 ? { passed: true } : { value: i / 10 }),
        ...(i === 3 ? { step_id: step } : {}),
        ...(i < 4 ? { source: 'human' } : {}),
        ...(i === 5 ? { metadata: { by: 'ann', n: null } } : {}),
        at: at(i % 5),
      }))
      assert.equal((await post(events)).status, 200)
      await post({ name: 'secret', trace_id: theirs, passed: true }, FOREIGN)
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: { events: { id: string; at: string }[]; next_cursor: string | null } = await list(
          `?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
        seen.push(...page.events.map((event) => `${event.at} ${event.id}`))
        cursor = page.next_cursor
      }
      assert.equal(seen.length, 9)
      assert.deepEqual(seen, seen.toSorted().toReversed())
      const count = async (query: string) => (await list(query)).events.length
      assert.equal(await count('?name=solved'), 5)
      assert.equal(await count('?name=secret'), 0)
      assert.equal(await count('?name=nothing'), 0)
      assert.equal(await count(`?trace_id=${trace}`), 9)
      assert.equal(await count(`?trace_id=${theirs}`), 0)
      assert.equal(await count('?trace_id=junk'), 0)
      assert.equal(await count(`?step_id=${step}`), 1)
      assert.equal(await count('?source=human'), 4)
      assert.equal(await count('?run_type=agent&source=human'), 4)
      assert.equal(await count('?run_type=eval'), 0)
      assert.equal(await count('?model=m'), 0)
      assert.equal(await count('?not_run_type=agent'), 0)
      assert.equal(await count('?not_model=m&not_model=n&source=human'), 4)
      assert.equal(await count('?meta_key=by&meta_value=ann&meta_key=n'), 1)
      assert.equal(await count('?meta_key=by&meta_value=bob'), 0)
      assert.equal(await count(`?start_time=${at(1)}&end_time=${at(3)}`), 4)
      for (const query of [
        'limit=0',
        'source=dog',
        'nam=x',
        'not_name=x',
        'status=fine',
        'trace_name=',
        'start_time=noon',
        'meta_value=x',
        'cursor=x',
        'cursor=WzEsMl0',
      ]) {
        assert.equal((await send({ path: `/v1/metrics/events?${query}`, headers: OWN })).status, 422, query)
      }
    })

    test('a list takes the filters of traces, which hold for the trace of the event', async () => {
      const { traces, ownProject, post, list, trace } = await setUp(connect)
      const body = Buffer.from('{"name":"another","steps":[]}')
      const { id } = await traces.commit({ projectId: ownProject, body, idempotencyKey: null })
      await post([trace, id].map((trace_id) => ({ name: 'solved', trace_id, passed: true })))
      await list()
      assert.equal(traces.lastMatched, null)
      const tracesOf = async (query: string) =>
        (await list(query)).events.map((event: { trace_id: string }) => event.trace_id)
      assert.deepEqual(await tracesOf('?trace_name=another'), [id])
      assert.deepEqual(await tracesOf('?name=solved&trace_name=nothing'), [])
      assert.deepEqual((await tracesOf('?not_trace_name=x&status=error&q=words&model=m&min_cost_usd=0.5')).length, 0)
      assert.equal((await tracesOf('?not_trace_name=x&status=error&q=words&not_model=m&min_cost_usd=0.5')).length, 2)
      const { name: traceName, notName, status, text, notModel, minCostUsd } = traces.lastMatched!
      assert.deepEqual(
        [traceName, notName, status, text, notModel, minCostUsd],
        [null, 'x', 'error', 'words', null, 0.5],
      )
    })

    test('huge events give short pages, and none is lost', async () => {
      const { post, list, send, trace } = await setUp(connect)
      const metadata = { text: 'x'.repeat(100 * 1024) }
      const events = Array.from({ length: 70 }, () => ({ name: 'solved', trace_id: trace, passed: true, metadata }))
      assert.equal((await post(events)).status, 200)
      const seen = new Set<string>()
      let pages = 0
      for (let cursor: string | null = ''; cursor !== null; pages++) {
        const page: { events: { id: string }[]; next_cursor: string | null } = await list(
          `?limit=1000${cursor === '' ? '' : `&cursor=${cursor}`}`,
        )
        for (const { id } of page.events) seen.add(id)
        cursor = page.next_cursor
      }
      assert.deepEqual([seen.size, pages], [70, 4])
      const whole = (await send({ path: `/v1/traces/${trace}`, headers: OWN })).json()
      assert.deepEqual(
        whole.metric_events.map(({ id }: { id: string }) => id),
        [...seen].toSorted(),
      )
    })

    test('scopes: ingest records, read lists, manage defines', async () => {
      const { send, trace } = await setUp(connect)
      const body = JSON.stringify({ name: 'solved', trace_id: trace, passed: true })
      const as = (key: string, method: string, path: string, sent?: string) =>
        send({ method, path, headers: { ...OWN, 'x-api-key': key }, ...(sent === undefined ? {} : { body: sent }) })
      assert.equal((await as('writer', 'POST', '/v1/metrics/events', body)).status, 201)
      assert.equal((await as('reader', 'POST', '/v1/metrics/events', body)).status, 403)
      assert.equal((await as('reader', 'GET', '/v1/metrics/events')).status, 200)
      assert.equal((await as('writer', 'GET', '/v1/metrics/events')).status, 403)
      assert.equal((await as('writer', 'POST', '/v1/metrics', '{"name":"x","kind":"boolean"}')).status, 403)
      assert.equal((await as('junk', 'GET', '/v1/metrics')).status, 401)
    })

    test('a batch waits for a full queue; another failure is the verdict on the remaining events', async () => {
      const { post, list, metricEvents, trace, budget } = await setUp(connect)
      const event = { name: 'solved', trace_id: trace, passed: true }
      const full = () => new DomainError('queue_full', 'Full.', { retryAfterSeconds: 1 })
      metricEvents.failures.push(full(), full(), full())
      assert.equal((await post([event])).status, 200)
      metricEvents.failures.push(full())
      assert.equal((await post(event)).status, 503, 'one event alone is told to try again')
      metricEvents.failures.push(new DomainError('storage_unavailable', 'No.'))
      const failed = await post(`${JSON.stringify(event)}\n`, LINES)
      assert.deepEqual([failed.status, failed.json().results[0].code], [207, 'storage_unavailable'])
      assert.equal((await list()).events.length, 1)
      assert.equal(budget.usedBytes, 0)
    })

    test('if definitions cannot be read, that is the verdict on their events', async () => {
      const { post, metricStore, trace } = await setUp(connect)
      metricStore.failure = new DomainError('storage_unavailable', 'The store is away.')
      const answer = await post([{ name: 'solved', trace_id: trace, passed: true }, {}])
      const codes = answer.json().results.map(({ code }: { code: string }) => code)
      assert.deepEqual([answer.status, codes], [207, ['storage_unavailable', 'validation_failed']])
    })
  })
}

test('a long batch is written in groups of five hundred, in order, each with one look-up of its definition', async () => {
  const { post, metricEvents, metricStore, trace } = await setUp(TRANSPORTS['memory']!)
  const events = Array.from({ length: 1750 }, (_, i) => ({ name: 'reward', trace_id: trace, value: i / 2000 }))
  const reads = metricStore.reads
  const answer = await post(events)
  assert.deepEqual([answer.status, metricEvents.calls], [200, [500, 500, 500, 250]])
  const ids = answer.json().results.map(({ event_id }: { event_id: string }) => event_id)
  assert.deepEqual(
    ids,
    metricEvents.events.map(({ id }) => id),
  )
  assert.equal(metricStore.reads, reads + metricEvents.calls.length)
})

test('if a body is cut off in the middle of a line, the lines before are recorded', async () => {
  const connectSocket = async (app: ReturnType<typeof createHttpWorld>['app']): Promise<Send> => {
    const port = await listen(app)
    return Object.assign((sent: Parameters<Send>[0]) => sendTo(port, sent), { port })
  }
  const world = await setUp(connectSocket)
  const { port } = world.send as Send & { readonly port: number }
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/v1/metrics/events',
    headers: LINES,
    agent: false,
  })
  outgoing.on('error', () => {})
  const event = JSON.stringify({ name: 'solved', trace_id: world.trace, passed: true })
  outgoing.write(`${event}\n${event}\n${event.slice(0, -1)}`)
  while (world.metricEvents.events.length < 2) await new Promise(setImmediate)
  outgoing.destroy()
  while (world.budget.usedBytes > 0) await new Promise(setImmediate)
  assert.equal(world.metricEvents.events.length, 2)
  assert.ok(!world.logLines.join('').includes('"level":"error"'))
})

test('verdicts are streamed while the body is still being sent, but not before they are durable', async () => {
  const connectSocket = async (app: ReturnType<typeof createHttpWorld>['app']): Promise<Send> => {
    const port = await listen(app)
    return Object.assign((sent: Parameters<Send>[0]) => sendTo(port, sent), { port })
  }
  const world = await setUp(connectSocket)
  const { port } = world.send as Send & { readonly port: number }
  const headers = { ...LINES, accept: 'application/x-ndjson' }
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/v1/metrics/events',
    headers,
    agent: false,
  })
  const durable = Promise.withResolvers<void>()
  world.metricEvents.gate = durable.promise
  const event = JSON.stringify({ name: 'solved', trace_id: world.trace, passed: true })
  const response = once(outgoing, 'response')
  outgoing.write(`${event}\n`)
  while (world.metricEvents.calls.length === 0) await new Promise(setImmediate)
  assert.equal(await Promise.race([response, new Promise((wake) => setTimeout(wake, 50, 'nothing'))]), 'nothing')
  durable.resolve()
  const [incoming] = await response
  assert.equal(JSON.parse(String((await once(incoming, 'data'))[0])).status, 'created')
  outgoing.write(`${event}\n`)
  assert.equal(JSON.parse(String((await once(incoming, 'data'))[0])).line, 2)
  outgoing.end()
  incoming.resume()
  await once(incoming, 'end')
})
