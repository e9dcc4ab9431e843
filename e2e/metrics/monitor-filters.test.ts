import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { ClusterId } from '@spoor/contract/ids'
import type { MonitorFilters } from '@spoor/contract/schemas/monitor'
import { discover, listClusters } from '../clusters/discoveries.ts'
import { topicTrace } from '../clusters/topic-traces.ts'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'

const MODEL = 'house/model'
const SOURCES = [
  { kind: 'traces', measure: 'count' },
  { kind: 'steps', measure: 'count' },
  { kind: 'metric', metric: 'rated' },
] as const

async function openWorld(service: Service) {
  const send = async <T>(method: string, path: string, body: object): Promise<T> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await service.client.call({ method, path, headers, body: JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
    return answer.json<T>()
  }
  const definition = (source: object, filters: MonitorFilters) => ({
    source,
    filters,
    aggregation: 'count',
    window_seconds: 3600,
    comparison: 'gt',
    threshold: 1_000_000,
  })
  return {
    send,
    definition,
    /** The last values of a monitor with groups. */
    async preview(body: object): Promise<Record<string, number>> {
      const start_time = new Date(Date.now() - 60_000).toISOString()
      const { evaluations } = await send<{ evaluations: { group: string; at: string; value: number }[] }>(
        'POST',
        '/v1/monitors/preview',
        { ...body, start_time },
      )
      const last = evaluations.filter(({ at }) => at === evaluations.at(-1)?.at)
      return Object.fromEntries(last.map(({ group, value }) => [group, value]))
    },
    async commit(body: object): Promise<string> {
      const { id } = await send<{ id: string }>('POST', '/v1/traces', body)
      await send('POST', '/v1/metrics/events', { name: 'rated', trace_id: id, value: 5 })
      return id
    },
    /** A monitor of traces, one of steps and one of events, with these filters; or of other sources. */
    async watch(
      filters: MonitorFilters,
      sources: readonly object[] = SOURCES,
      aggregation = 'count',
    ): Promise<(values: readonly number[]) => Promise<void>> {
      const ids: string[] = []
      for (const source of sources) {
        const body = { name: 'watched', ...definition(source, filters), aggregation }
        ids.push((await send<{ id: string }>('POST', '/v1/monitors', body)).id)
      }
      return async (counts) => {
        let found: readonly (number | null)[] = []
        const values = () =>
          Promise.all(
            ids.map(async (id) => {
              const answer = await service.client.get(`/v1/monitors/${id}`)
              return answer.json<{ last_value: number | null }>().last_value
            }),
          )
        const isReached = async () => {
          found = await values()
          return JSON.stringify(found) === JSON.stringify(counts)
        }
        await eventually(`${JSON.stringify(filters)} counts ${counts.join(', ')}`, isReached).catch(
          (error: unknown) => {
            throw new Error(`${JSON.stringify(filters)} counted ${found.join(', ')}`, { cause: error })
          },
        )
      }
    },
  }
}

const priced = (input: number) => ({
  name: 'priced',
  steps: [
    { name: 'cheap', type: 'llm', model: MODEL, token_usage: { input: 1, output: 0 } },
    { name: 'answer', type: 'llm', model: MODEL, token_usage: { input, output: 0 } },
  ],
})

test('monitors with filters by scores and costs follow late scores, removed ones and prices', async () => {
  await using service = await Service.start({ environment: { SPOOR_MONITOR_INTERVAL_SECONDS: '1' } })
  const world = await openWorld(service)
  await world.send('POST', '/v1/metrics', { name: 'rated', kind: 'numeric' })
  await world.send('POST', '/v1/metrics', { name: 'solved', kind: 'boolean' })
  const price = (perMillion: number) =>
    world.send('PUT', `/v1/prices/${encodeURIComponent(MODEL)}`, {
      input_usd_per_million: perMillion,
      output_usd_per_million: 1,
    })
  await price(1)
  const [first, second] = [await world.commit(priced(1000)), await world.commit(priced(2_000_000))]

  const solved = await world.watch({ metric: 'solved', passed: true })
  const unsolved = await world.watch({ without_metric: 'solved', name: 'priced' })
  const dear = await world.watch({ min_cost_usd: 1 })
  const dearStep = await world.watch({ min_step_cost_usd: 1, step_name: 'answer' })
  const cheapStep = await world.watch({ min_step_cost_usd: 1, step_name: 'cheap' })
  await solved([0, 0, 0])
  await unsolved([2, 4, 2])
  await dear([1, 2, 1])
  await dearStep([1, 1, 1])
  await cheapStep([0, 0, 0])

  const judge = { name: 'solved', trace_id: first, passed: true }
  const event = await world.send<{ id: string }>('POST', '/v1/metrics/events', judge)
  await world.send('POST', '/v1/metrics/events', { ...judge, trace_id: second, passed: false })
  await solved([1, 2, 1])
  await unsolved([0, 0, 0])
  const removed = await service.client.call({ method: 'DELETE', path: `/v1/metrics/events/${event.id}` })
  assert.equal(removed.status, 204, removed.text)
  await solved([0, 0, 0])
  await unsolved([1, 2, 1])

  await price(1000)
  await dear([2, 4, 2])
  await dearStep([2, 2, 2])
  const body = world.definition(SOURCES[0], { metric: 'absent' })
  const headers = { 'content-type': 'application/json' }
  const refused = await service.client.call({
    method: 'POST',
    path: '/v1/monitors/preview',
    headers,
    body: JSON.stringify(body),
  })
  assert.equal(refused.status, 422)
  assert.deepEqual(
    refused.json<{ errors: { pointer: string; code: string }[] }>().errors.map(({ pointer, code }) => [pointer, code]),
    [['/filters/metric', 'undefined_metric']],
  )
  const each = { for_each: 'step_name' }
  assert.deepEqual(await world.preview({ ...world.definition(SOURCES[1], { min_cost_usd: 1 }), ...each }), {
    answer: 2,
    cheap: 2,
  })
  // A trace is in the groups of its steps that pass.
  const dearSteps = world.definition(SOURCES[0], { min_step_cost_usd: 1 })
  assert.deepEqual(await world.preview({ ...dearSteps, ...each }), { answer: 2 })
})

test('monitors of costs are of the prices at the evaluation, also of what a run wasted', async () => {
  await using service = await Service.start({ environment: { SPOOR_MONITOR_INTERVAL_SECONDS: '1' } })
  const world = await openWorld(service)
  const price = (perMillion: number) =>
    world.send('PUT', `/v1/prices/${encodeURIComponent(MODEL)}`, {
      input_usd_per_million: perMillion,
      output_usd_per_million: 0,
    })
  const call = {
    name: 'turn',
    type: 'llm',
    model: MODEL,
    token_usage: { input: 1_000_000, output: 0 },
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'find', input: { id: 7 } }] }],
  }
  const result = {
    name: 'find',
    type: 'retrieval',
    messages: [{ role: 'tool', content: [{ type: 'text', text: 'none' }] }],
  }
  const sources = [
    { kind: 'traces', measure: 'cost_usd' },
    { kind: 'steps', measure: 'cost_usd' },
    { kind: 'traces', measure: 'wasted_cost_usd' },
  ]
  await price(1)
  const sums = await world.watch({}, sources, 'sum')
  const greatest = await world.watch({}, sources, 'max')
  await world.send('POST', '/v1/traces', { name: 'loop', steps: [call, result, call, result, call, result] })
  await world.send('POST', '/v1/traces', { name: 'short', steps: [call] })
  await sums([4, 4, 2])
  await greatest([3, 1, 2])
  await price(2)
  await sums([8, 8, 4])
  const byName = { ...world.definition(sources[2]!, {}), aggregation: 'sum', for_each: 'name' }
  assert.deepEqual(await world.preview(byName), { loop: 4, short: 0 })
})

test('a monitor of a cluster follows the discoveries', async () => {
  await using service = await Service.start({ environment: { SPOOR_MONITOR_INTERVAL_SECONDS: '1' } })
  const world = await openWorld(service)
  const random = createRandom(20_261_129)
  await world.send('POST', '/v1/metrics', { name: 'rated', kind: 'numeric' })
  const commit = async (count: number) => {
    for (let n = 0; n < count; n++) for (const topic of [0, 2]) await world.commit(topicTrace(topic, random))
  }
  await commit(25)
  await discover(service.client)
  const [{ id }] = (await listClusters(service.client)) as unknown as readonly [{ id: ClusterId }]
  const members = async () => (await walkFeed(service.client, { cluster: id })).length
  const before = await members()
  const counted = await world.watch({ cluster: id })
  await counted([before, before, before])
  const { id: eachId } = await world.send<{ id: string }>('POST', '/v1/monitors', {
    name: 'each',
    ...world.definition(SOURCES[0], {}),
    for_each: 'cluster',
  })
  const series = async () => {
    const answer = await service.client.get('/v1/traces/series?measure=count&group_by=cluster&bucket=all')
    const { groups } = answer.json<{ groups: { group: string | null; value: number }[] }>()
    return Object.fromEntries(groups.flatMap(({ group, value }) => (group === null ? [] : [[group, value]])))
  }
  const followsEach = () =>
    eventually('the groups are those of the chart', async () => {
      const monitor = await service.client.get(`/v1/monitors/${eachId}`)
      const { groups } = monitor.json<{ groups: { group: string; last_value: number }[] }>()
      const values = Object.fromEntries(groups.map(({ group, last_value: value }) => [group, value]))
      return isDeepStrictEqual(values, await series()) && isDeepStrictEqual(values[id], await members())
    })
  await followsEach()
  for (const source of SOURCES.slice(1)) {
    assert.deepEqual(await world.preview({ ...world.definition(source, {}), for_each: 'cluster' }), await series())
  }

  await commit(8)
  await discover(service.client)
  const after = await members()
  assert.ok(after > before, `${after} members`)
  await counted([after, after, after])
  await followsEach()
})

test('monitors with words count what lists find, also by a step that comes later', async () => {
  await using service = await Service.start({ environment: { SPOOR_MONITOR_INTERVAL_SECONDS: '1' } })
  const world = await openWorld(service)
  await world.send('POST', '/v1/metrics', { name: 'rated', kind: 'numeric' })
  const saying = (text: string) => ({ name: 'ask', messages: [{ role: 'user', content: [{ type: 'text', text }] }] })
  await world.commit({ name: 'run', steps: [saying('please refund the order')] })
  await world.commit({ name: 'refund desk', steps: [saying('hello'), saying('bye')] })
  const greeting = await world.commit({ name: 'greeting', steps: [saying('hello')] })
  const words = await world.watch({ q: 'refund' })
  const both = await world.watch({ q: 'refun* order', name: ['run', 'greeting'] })
  await words([2, 3, 2])
  await both([1, 1, 1])
  const appended = await service.client.append(greeting, JSON.stringify(saying('refund my order')))
  assert.equal(appended.status, 200, appended.text)
  await words([3, 5, 3])
  await both([2, 3, 2])

  const headers = { 'content-type': 'application/json' }
  for (const path of ['/v1/monitors', '/v1/monitors/preview']) {
    const body = JSON.stringify({ name: 'none', ...world.definition(SOURCES[0], { q: '!' }) })
    const refused = await service.client.call({ method: 'POST', path, headers, body })
    assert.equal(refused.status, 422, refused.text)
    assert.equal(refused.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer, '/filters/q')
  }
})
