import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walkFeed } from '../lib/feed.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'

const TRACES = 90
const COMBINATIONS = 60

/** Filters of traces, each with values of which some match something. */
const FILTERS: readonly (readonly [string, ...string[]])[] = [
  ['status', 'ok', 'error'],
  ['trace_name', 'run 1', "it's", 'nothing'],
  ['not_trace_name', 'run 2'],
  ['flagged', 'true', 'false'],
  ['growing', 'false'],
  ['error_type', 'Full'],
  ['session_id', 's 1'],
  ['not_session_id', 's 1'],
  ['user_id', 'ü'],
  ['tag', 'even'],
  ['not_tag', 'even'],
  ['min_step_count', '2'],
  ['max_total_tokens', '300'],
  ['min_cost_usd', '0.0001'],
  ['metric', 'score', 'solved'],
  ['passed', 'false'],
  ['max_value', '0.5'],
  ['without_metric', 'solved'],
  ['event_start_time', '2020-01-01'],
  ['event_end_time', '2020-01-01'],
  ['cluster', 'none'],
  ['step_name', 'pay'],
  ['step_type', 'tool', 'llm'],
  ['tool', 'find_order'],
  ['not_tool', 'find_order'],
  ['argument.id', '1'],
  ['step_status', 'error'],
  ['min_step_tokens', '150'],
  ['q', 'order', 'refund'],
]

interface Exported {
  readonly id: string
  readonly trace_id: string
}

async function exported(service: Service, query: URLSearchParams): Promise<readonly Exported[]> {
  const answer = await service.client.get(`/v1/export?what=events&format=jsonl&${query}`)
  assert.equal(answer.status, 200, answer.text)
  const lines = answer.text.trimEnd().split('\n')
  assert.deepEqual(JSON.parse(lines.pop()!), { complete: true, rows: lines.length }, query.toString())
  return lines.map((line) => JSON.parse(line) as Exported)
}

async function fill(service: Service): Promise<void> {
  const send = async (path: string, body: object, method = 'POST') => {
    const headers = { 'content-type': 'application/json' }
    const answer = await service.client.call({ method, path, headers, body: JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
    return answer.json<{ id: string }>()
  }
  await send('/v1/prices/own', { input_usd_per_million: 1, output_usd_per_million: 1 }, 'PUT')
  await send('/v1/metrics', { name: 'score', kind: 'numeric' })
  await send('/v1/metrics', { name: 'solved', kind: 'boolean' })
  for (let n = 0; n < TRACES; n++) {
    const input = { id: n % 3 }
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: `call ${n}`, name: 'find_order', input }] }
    const asked = { role: 'user', content: [{ type: 'text', text: n % 4 === 0 ? 'refund it' : 'where is the order' }] }
    const steps = [
      ...(n % 2 === 0
        ? [
            {
              name: 'ask',
              type: 'llm',
              model: 'own',
              token_usage: { input: n * 4, output: 1 },
              messages: [asked, call],
            },
          ]
        : []),
      ...(n % 5 === 0 ? [{ name: 'pay', type: 'tool', status: 'error', error: { type: 'Full', message: '' } }] : []),
      ...(n % 3 === 0 ? [{ name: 'done', messages: [asked] }] : []),
    ]
    const people = n % 7 === 0 ? {} : { session_id: `s ${n % 3}`, user_id: n % 2 === 0 ? 'ü' : 'v' }
    const name = n % 8 === 0 ? "it's" : `run ${n % 3}`
    const { id } = await send('/v1/traces', { name, metadata: { tags: n % 2 === 0 ? ['even'] : [] }, steps, ...people })
    if (n % 3 !== 2) await send('/v1/metrics/events', { name: 'score', trace_id: id, value: n / TRACES })
    if (n % 4 === 0) await send('/v1/metrics/events', { name: 'solved', trace_id: id, passed: n % 8 === 0 })
    if (n % 6 === 0) await send('/v1/metrics/events', { name: 'score', trace_id: id, value: 0.9 })
    if (n % 11 === 0) await send(`/v1/traces/${id}`, { flagged: true, reason: 'look' }, 'PATCH')
    if (n % 20 === 19) await service.client.call({ method: 'DELETE', path: `/v1/traces/${id}` })
  }
}

test('the events of an export are those of the traces that the list has with the same filters', async () => {
  await using service = await Service.start()
  await fill(service)
  const random = createRandom(41)
  const all = await exported(service, new URLSearchParams())
  const ofScore = await exported(service, new URLSearchParams({ name: 'score' }))
  assert.ok(all.length > ofScore.length && ofScore.length > 0)
  let found = 0
  const compare = async (filters: readonly (readonly [string, string])[], metric: string | null) => {
    const listed = await walkFeed(
      service.client,
      Object.fromEntries(filters.map(([field, value]) => [field.replace('trace_name', 'name'), value])),
    )
    const ids = new Set(listed.map(({ id }) => id))
    const query = new URLSearchParams(filters.map(([field, value]): [string, string] => [field, value]))
    if (metric !== null) query.set('name', metric)
    const rows = await exported(service, query)
    assert.deepEqual(
      rows,
      (metric === null ? all : ofScore).filter(({ trace_id }) => ids.has(trace_id)),
      query.toString(),
    )
    found += rows.length
  }
  for (const [field, ...values] of FILTERS) for (const value of values) await compare([[field, value]], null)
  const several = new URLSearchParams([
    ['trace_name', 'run 1'],
    ['trace_name', "it's"],
  ])
  const names = new Set(
    (await walkFeed(service.client)).filter(({ name }) => name !== 'run 0' && name !== 'run 2').map(({ id }) => id),
  )
  assert.deepEqual(
    await exported(service, several),
    all.filter(({ trace_id }) => names.has(trace_id)),
  )
  for (let n = 0; n < COMBINATIONS; n++) {
    const fields = FILTERS.filter(() => random.chance(0.12))
    const filters = fields.map(([field, ...values]) => [field, random.pick(values)] as const)
    await compare(filters, random.pick([null, 'score']))
  }
  assert.ok(found > 500, `${found} events`)
})

test('a list of events by a filter that few traces pass is walked to its end', async () => {
  await using service = await Service.start()
  const headers = { 'content-type': 'application/json' }
  const send = async (path: string, body: object) => {
    const answer = await service.client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
    return answer.json<{ id: string }>()
  }
  await send('/v1/metrics', { name: 'solved', kind: 'boolean' })
  const { id: rare } = await send('/v1/traces', { name: 'rare' })
  const { id: usual } = await send('/v1/traces', { name: 'usual' })
  await send('/v1/metrics/events', { name: 'solved', trace_id: rare, passed: true })
  for (let n = 0; n < 21; n++) {
    const events = Array.from({ length: 1000 }, () => ({ name: 'solved', trace_id: usual, passed: true }))
    await send('/v1/metrics/events', events)
  }
  const page = (await service.client.get('/v1/metrics/events?trace_name=rare')).json<{
    events: readonly object[]
    next_cursor: string | null
  }>()
  assert.deepEqual([page.events, page.next_cursor === null], [[], false])
  const rows = await exported(service, new URLSearchParams({ trace_name: 'rare' }))
  assert.deepEqual(
    rows.map(({ trace_id }) => trace_id),
    [rare],
  )
})
