import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { METRIC, OTHER_METRIC, score } from '../commit/metric-event-builders.test-support.ts'
import { BEGIN_MS, idAt, PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import type { FeedSort } from '../../ports/traces/trace-store.ts'
import type { FeedQuery } from '../use-cases.ts'

const CLUSTER = idAt('clu', 1, 1)
const SORTS: readonly FeedSort[] = ['created_at', 'duration_ms', 'total_tokens', 'step_count']

/** Twenty traces; every third has an event of `solved`, every second one of another metric. */
async function world(): Promise<{ readonly on: TraceWorld; readonly ids: readonly TraceId[] }> {
  const on = new TraceWorld()
  on.metricIds.set(`${PROJECT} solved`, METRIC)
  const ids: TraceId[] = []
  for (let index = 0; index < 20; index++) {
    const steps = Array.from({ length: 1 + (index % 4) }, () => ({ name: 's' }))
    ids.push((await on.commit({ name: 't', status: index % 5 === 0 ? 'error' : 'ok', steps })).id)
    on.clock.advance(1)
  }
  const scores = ids.flatMap((traceId, index) => [
    ...(index % 3 === 0 ? [score({ traceId })] : []),
    ...(index % 2 === 0 ? [score({ traceId, metricId: OTHER_METRIC })] : []),
  ])
  await on.service.recordMetricEvents(PROJECT, scores)
  return { on, ids }
}

/** Pages of the list without `solved`, unless `filters` say otherwise. */
async function walk(on: TraceWorld, filters: Partial<FeedQuery>): Promise<TraceId[]> {
  const seen: TraceId[] = []
  let cursor: string | null = null
  do {
    const page = await on.list({ withoutMetric: 'solved', limit: 3, ...filters, cursor })
    seen.push(...page.traces.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  return seen
}

for (const sort of SORTS) {
  test(`a walk by ${sort} returns each trace without the metric once, also with other filters`, async () => {
    const { on, ids } = await world()
    const expected = (belongs: (index: number) => boolean) =>
      ids.filter((_, index) => index % 3 !== 0 && belongs(index)).toSorted()
    assert.deepEqual(
      (await walk(on, { sort })).toSorted(),
      expected(() => true),
    )
    assert.deepEqual(
      (await walk(on, { sort, status: 'error' })).toSorted(),
      expected((index) => index % 5 === 0),
    )
    on.clusters.put(PROJECT, CLUSTER, ids.slice(0, 10))
    assert.deepEqual(
      (await walk(on, { sort, cluster: CLUSTER })).toSorted(),
      expected((index) => index < 10),
    )
  })
}

test('a trace leaves the list with the event that scores it', async () => {
  const { on, ids } = await world()
  const { traces } = await on.list({ withoutMetric: 'solved', limit: 1 })
  assert.equal(traces[0]?.id, ids[19])
  await on.service.recordMetricEvents(PROJECT, [score({ traceId: ids[19]! })])
  assert.equal((await on.list({ withoutMetric: 'solved', limit: 1 })).traces[0]?.id, ids[17])
})

test('every trace is without a metric that does not exist', async () => {
  const { on } = await world()
  assert.equal((await walk(on, { withoutMetric: 'nowhere' })).length, 20)
})

test('traces with an event are listed, by its value and by all conditions on one event', async () => {
  const { on, ids } = await world()
  on.metricIds.set(`${PROJECT} other`, OTHER_METRIC)
  const numeric = (number: number) => ({ kind: 'numeric', number }) as const
  await on.service.recordMetricEvents(PROJECT, [
    score({ traceId: ids[1]!, value: { kind: 'boolean', passed: false } }),
    score({ traceId: ids[2]!, metricId: OTHER_METRIC, value: numeric(5) }),
    score({ traceId: ids[2]!, metricId: OTHER_METRIC, value: numeric(-1.5) }),
    score({ traceId: ids[5]!, metricId: OTHER_METRIC, value: { kind: 'enum', option: 'good' } }),
  ])
  const indices = async (filters: Partial<FeedQuery>) =>
    (await walk(on, { withoutMetric: null, ...filters })).map((id) => ids.indexOf(id)).toSorted((a, b) => a - b)
  const thirds = ids.flatMap((_, index) => (index % 3 === 0 ? [index] : []))
  assert.deepEqual(
    await indices({ metric: 'solved' }),
    [...thirds, 1].toSorted((a, b) => a - b),
  )
  assert.deepEqual(await indices({ metric: 'solved', passed: true, sort: 'step_count' }), thirds)
  assert.deepEqual(await indices({ passed: false }), [1])
  assert.deepEqual(await indices({ metric: 'other', passed: false }), [])
  assert.deepEqual(await indices({ metric: 'other', minValue: 5 }), [2])
  assert.deepEqual(await indices({ minValue: -1, maxValue: 4 }), [])
  assert.deepEqual(await indices({ maxValue: -1.5, withoutMetric: 'solved' }), [2])
  assert.deepEqual(await indices({ option: 'good' }), [5])
  assert.deepEqual(await indices({ metric: 'nowhere' }), [])
})

test('the times of the event apply to the event of the other conditions, and not to its trace', async () => {
  const { on, ids } = await world()
  const at = (minute: number) => BEGIN_MS + minute * 60_000
  await on.service.recordMetricEvents(PROJECT, [
    score({ traceId: ids[1]!, at: at(10), value: { kind: 'boolean', passed: false } }),
    score({ traceId: ids[2]!, at: at(20) }),
    score({ traceId: ids[4]!, at: at(20), metricId: OTHER_METRIC }),
    score({ traceId: ids[5]!, at: at(30) }),
  ])
  const indices = async (filters: Partial<FeedQuery>) =>
    (await walk(on, { withoutMetric: null, ...filters })).map((id) => ids.indexOf(id)).toSorted((a, b) => a - b)
  const between = (from: number, to: number) => ({ eventStartTime: at(from), eventEndTime: at(to) })
  assert.deepEqual(await indices(between(10, 20)), [1])
  assert.deepEqual(await indices(between(10, 21)), [1, 2, 4])
  assert.deepEqual(await indices({ ...between(10, 21), sort: 'step_count' }), [1, 2, 4])
  assert.deepEqual(await indices({ ...between(10, 30), metric: 'solved' }), [1, 2])
  assert.deepEqual(await indices({ metric: 'solved', passed: false, ...between(11, 40) }), [])
  assert.deepEqual(await indices({ eventStartTime: at(20) }), [2, 4, 5])
  assert.deepEqual(await indices({ eventEndTime: at(10), metric: 'solved', startTime: at(1) }), [])
  assert.equal((await indices({ eventEndTime: at(10), metric: 'solved' })).length, 7)
})
