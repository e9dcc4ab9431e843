import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../lib/client.ts'
import { Service } from '../lib/service.ts'
import { commitRuns, PRICED, type Run } from './made-up-runs.ts'

interface Point {
  readonly group: string | null
  readonly count: number
  readonly pass_rate?: number
  readonly avg?: number
  readonly sum?: number
}

interface Verdict {
  readonly status: 'created' | 'duplicate' | 'error'
  readonly event_id: string
}

const JSON_BODY = 'application/json'

async function send(client: Client, method: string, path: string, body: object, status: number): Promise<void> {
  const headers = { 'content-type': JSON_BODY }
  const answer = await client.call({ method, path, headers, body: JSON.stringify(body) })
  assert.equal(answer.status, status, answer.text)
}

/** Ids of the events in the order sent; each must have this verdict. */
async function record(
  client: Client,
  type: string,
  body: string,
  verdict: Verdict['status'],
): Promise<readonly string[]> {
  const call = { method: 'POST', path: '/v1/metrics/events', headers: { 'content-type': type }, body }
  const answer = await client.call(call)
  assert.equal(answer.status, 200, answer.text)
  const { results } = answer.json<{ results: Verdict[] }>()
  for (const { status } of results) assert.equal(status, verdict)
  return results.map(({ event_id }) => event_id)
}

/** One bucket contains everything, also when the test runs over midnight: the next begins in 2069. */
async function pointsOf(client: Client, series: string): Promise<readonly Point[]> {
  const answer = await client.get(`/v1/${series}bucket=5200w`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<{ points: Point[] }>().points
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

function assertClose(actual: number | undefined, expected: number): void {
  assert.ok(actual !== undefined && Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`)
}

function solved({ reward }: Run): boolean {
  return reward === 1
}

/** Compares series by task and in total with the hand-computed values. */
async function checkSeries(client: Client, runs: readonly Run[]): Promise<void> {
  const groups = [
    ['', Map.groupBy<string | null, Run>(runs, () => null)],
    ['group_by=metadata.task_id&', Map.groupBy<string | null, Run>(runs, ({ task }) => String(task))],
  ] as const
  for (const [grouping, expected] of groups) {
    const [passed, rewards, costs] = await Promise.all([
      pointsOf(client, `metrics/solved/series?${grouping}`),
      pointsOf(client, `metrics/reward/series?${grouping}`),
      pointsOf(client, `traces/series?measure=cost_usd&${grouping}`),
    ])
    for (const points of [passed, rewards, costs]) {
      assert.deepEqual(new Set(points.map(({ group }) => group)), new Set(expected.keys()))
      for (const { group, count } of points) assert.equal(count, expected.get(group)?.length)
    }
    for (const { group, pass_rate } of passed) {
      const members = expected.get(group) as Run[]
      assert.equal(pass_rate, members.filter(solved).length / members.length)
    }
    for (const { group, avg } of rewards) {
      const members = expected.get(group) as Run[]
      assertClose(avg, mean(members.map(({ reward }) => reward)))
    }
    for (const { group, sum } of costs) {
      const members = expected.get(group) as Run[]
      assertClose(sum, mean(members.map(({ costUsd }) => costUsd)) * members.length)
    }
  }
}

async function checkTrace(client: Client, { traceId, reward, costUsd }: Run): Promise<void> {
  const trace = (await client.get(`/v1/traces/${traceId}`)).json<{
    cost_usd: number
    unpriced_models: string[]
    metric_events: { name: string; value: number | null; passed: boolean | null }[]
  }>()
  assertClose(trace.cost_usd, costUsd)
  assert.deepEqual(trace.unpriced_models, ['nobody/has-priced-this'])
  assert.deepEqual(
    trace.metric_events.map(({ name, value, passed }) => [name, value ?? passed]),
    [
      ['reward', reward],
      ['solved', reward === 1],
    ],
  )
}

test('runs carry their reward as two metrics, and the series by task equal a manual count, also after retries and a kill', async () => {
  await using service = await Service.start()
  await send(service.client, 'PUT', `/v1/prices/${encodeURIComponent(PRICED.model)}`, pricesOf(), 200)
  const runs = await commitRuns(service.client)
  for (const status of [201, 200]) {
    await send(service.client, 'POST', '/v1/metrics', { name: 'reward', kind: 'numeric', min: 0, max: 1 }, status)
    await send(service.client, 'POST', '/v1/metrics', { name: 'solved', kind: 'boolean' }, status)
  }
  const rewards = runs
    .map(({ traceId, reward }) => ({ name: 'reward', trace_id: traceId, value: reward, idempotency_key: 'reward' }))
    .map((event) => JSON.stringify(event))
    .join('\n')
  const verdicts = JSON.stringify(
    runs.map((run) => ({ name: 'solved', trace_id: run.traceId, passed: solved(run), idempotency_key: 'solved' })),
  )
  const recordAll = async (verdict: Verdict['status']) => [
    await record(service.client, 'application/x-ndjson', rewards, verdict),
    await record(service.client, JSON_BODY, verdicts, verdict),
  ]
  const ids = await recordAll('created')
  assert.equal(new Set(ids.flat()).size, 2 * runs.length)
  await checkSeries(service.client, runs)
  assert.deepEqual(await recordAll('duplicate'), ids)
  await checkSeries(service.client, runs)

  await service.kill()
  await service.start()
  assert.deepEqual(await recordAll('duplicate'), ids)
  await checkSeries(service.client, runs)
  for (const run of runs) await checkTrace(service.client, run)
})

function pricesOf(): object {
  return {
    input_usd_per_million: PRICED.input,
    cache_read_usd_per_million: PRICED.cacheRead,
    output_usd_per_million: PRICED.output,
  }
}
