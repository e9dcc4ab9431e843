import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from './api-error.ts'
import { targetOf } from './call.ts'
import { createClient } from './client.ts'

const URL_AND_KEY = { url: 'http://spoor.test/prefix/', apiKey: 'key' }

/** A client of a service that gives these answers in turn, and what it received. */
function clientOf(answers: (Response | Error)[]) {
  const requests: Request[] = []
  const waits: number[] = []
  const client = createClient({
    ...URL_AND_KEY,
    fetch: async (input, init) => {
      requests.push(new Request(input, init))
      const answer = answers.shift()
      if (answer instanceof Response) return answer
      throw answer ?? new Error('no answer is left')
    },
    wait: async (milliseconds) => void waits.push(milliseconds),
  })
  return { client, requests, waits }
}

function problem(status: number, code: string, headers: Record<string, string> = {}): Response {
  const body = { type: '', title: '', status, code, detail: 'Why.', request_id: 'req_1', errors: [FIELD] }
  return Response.json(body, { status, headers: { ...headers, 'content-type': 'application/problem+json' } })
}

const FIELD = { pointer: '/name', code: 'required', detail: 'Missing.' }
const LIST = { metrics: [], next_cursor: null }

test('a read is repeated until there is an answer, after the wait that the service names', async () => {
  const { client, requests, waits } = clientOf([
    new TypeError('connection refused'),
    problem(503, 'queue_full', { 'retry-after': '2' }),
    Response.json(LIST),
  ])
  assert.deepEqual(await client.metrics.list({ limit: 3 }), LIST)
  assert.equal(requests.length, 3)
  assert.equal(requests[0]?.url, 'http://spoor.test/prefix/v1/metrics?limit=3')
  assert.equal(requests[0]?.headers.get('x-api-key'), 'key')
  assert.equal(waits[1], 2000)
  assert.ok(waits[0] !== undefined && waits[0] > 0 && waits[0] <= 250)
})

test('repeated attempts of a commit have one idempotency key', async () => {
  const receipt = { id: 'tr_1', state: 'committed', step_ids: [], committed_at: '' }
  const { client, requests } = clientOf([new TypeError('reset'), Response.json(receipt, { status: 202 })])
  assert.deepEqual(await client.traces.commit({ name: 'a' }), receipt)
  const keys = requests.map(({ headers }) => headers.get('idempotency-key'))
  assert.ok(keys[0])
  assert.equal(keys[0], keys[1])
})

test('steps and metric events without an idempotency key get one; a given key stays', async () => {
  const { client, requests } = clientOf([Response.json({ errors: false, results: [] }), Response.json({})])
  await client.steps.append('tr_1', [{ name: 'a' }, { name: 'b', idempotency_key: 'mine' }])
  const lines = (await requests[0]?.text())?.split('\n').map((line) => (line === '' ? null : JSON.parse(line)))
  assert.equal(lines?.length, 3)
  assert.match(lines?.[0].idempotency_key, /^[0-9a-f-]{36}$/)
  assert.equal(lines?.[1].idempotency_key, 'mine')
  assert.equal(requests[0]?.headers.get('content-type'), 'application/x-ndjson')
  await client.metrics.record({ name: 'm', trace_id: 'tr_1', passed: true })
  const event = (await requests[1]?.json()) as { idempotency_key: string } | undefined
  assert.match(event?.idempotency_key ?? '', /^[0-9a-f-]{36}$/)
})

test('a request that may have been done is not repeated if a repetition would do it again', async () => {
  const unknown = clientOf([problem(503, 'storage_unavailable')])
  await assert.rejects(unknown.client.webhooks('proj_1').ping('wh_1'), { code: 'storage_unavailable' })
  const cut = clientOf([new TypeError('reset')])
  await assert.rejects(cut.client.webhooks('proj_1').ping('wh_1'), { code: 'no_answer', status: 0 })
  const refused = clientOf([problem(429, 'too_many_reads'), Response.json({ id: 'dlv_1' }, { status: 202 })])
  assert.deepEqual(await refused.client.webhooks('proj_1').ping('wh_1'), { id: 'dlv_1' })
})

test('attempts end', async () => {
  const { client, requests } = clientOf(Array.from({ length: 9 }, () => new TypeError('refused')))
  await assert.rejects(client.clusters.list(), { code: 'no_answer' })
  assert.equal(requests.length, 4)
})

test('a refusal is an error with its code, fields and request id', async () => {
  const { client, requests } = clientOf([problem(422, 'validation_failed')])
  await assert.rejects(client.metrics.define({ name: '', kind: 'boolean' }), (error: unknown) => {
    assert.ok(error instanceof ApiError)
    const { status, code, requestId, errors, message } = error
    assert.deepEqual(
      { status, code, requestId, errors },
      {
        status: 422,
        code: 'validation_failed',
        requestId: 'req_1',
        errors: [FIELD],
      },
    )
    assert.equal(message, '422 validation_failed: Why. /name: Missing.')
    return true
  })
  assert.equal(requests.length, 1)
})

test('the key is not carried to where a redirect leads', async () => {
  const moved = () => new Response(null, { status: 302, headers: { location: 'http://other.test/' } })
  const { client, requests } = clientOf([moved()])
  await assert.rejects(client.monitors.list(), { status: 302, code: 'unexpected_answer' })
  assert.equal(requests[0]?.redirect, 'manual')
})

test('an aborted request rejects with the reason', async () => {
  const { client, requests } = clientOf([])
  const signal = AbortSignal.abort(new Error('enough'))
  await assert.rejects(client.call('listPrices', {}, { signal }), /enough/)
  assert.equal(requests.length, 0)
})

test('all rows of a list come page after page', async () => {
  const pages = [
    { traces: [{ id: 'tr_1' }, { id: 'tr_2' }], next_cursor: 'c 1' },
    { traces: [{ id: 'tr_3' }], next_cursor: null },
  ]
  const { client, requests } = clientOf(pages.map((page) => Response.json(page)))
  const ids = []
  for await (const { id } of client.traces.all({ status: 'error' })) ids.push(id)
  assert.deepEqual(ids, ['tr_1', 'tr_2', 'tr_3'])
  assert.match(requests[1]?.url ?? '', /status=error&cursor=c\+1$/)
})

test('path and query are encoded; lists repeat their parameter', () => {
  assert.equal(targetOf('getMetric', { path: { name: 'a/b c' } }), '/v1/metrics/a%2Fb%20c')
  const query = { meta_key: ['env', 'a&b'], flagged: false, cursor: undefined }
  assert.equal(targetOf('listTraces', { query }), '/v1/traces?meta_key=env&meta_key=a%26b&flagged=false')
})

test('without a URL or key there is no client', (context) => {
  const { SPOOR_URL, SPOOR_API_KEY } = process.env
  context.after(() =>
    Object.assign(process.env, { ...(SPOOR_URL && { SPOOR_URL }), ...(SPOOR_API_KEY && { SPOOR_API_KEY }) }),
  )
  delete process.env['SPOOR_URL']
  delete process.env['SPOOR_API_KEY']
  assert.throws(() => createClient({ apiKey: 'key' }), /Pass `url` or set SPOOR_URL/)
  assert.throws(() => createClient({ url: 'http://spoor.test' }), /Pass `apiKey` or set SPOOR_API_KEY/)
  process.env['SPOOR_API_KEY'] = 'key'
  createClient({ url: 'http://spoor.test' })
})
