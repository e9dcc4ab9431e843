import { toTraceFilters } from '@spoor/contract/trace-filters'
import { createRates } from '../../../pricing/pricer.ts'
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { toBucketedSpan } from '../../../lib/time/time-buckets.ts'
import { EMPTY_DIGEST } from '../../../traces/rules/trace-digest.ts'
import { idAt, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { MemoryClusterMembers } from '../../../traces/read/memory-cluster-members.test-support.ts'
import type { TraceGroupBy, TraceSeriesMeasure } from '../../../ports/traces/trace-series.ts'
import { readTraceSeries } from '../../../traces/read/trace-series.ts'
import { aggregateWorld } from './aggregate-world.test-support.ts'
import { ClickHouseTraceSeries } from './clickhouse-trace-series.ts'
import { SeriesCache } from './series-cache.ts'

const world = await aggregateWorld()
const store = new ClickHouseTraceSeries(world.dependencies, new SeriesCache(0))
afterEach(() => world.clear())

const BEGIN = Date.UTC(2026, 1, 27, 22)
const HOUR = 3_600_000
const NO_FILTERS = {
  ...toTraceFilters('series', {}),
  metadata: [],
}

function series(measure: TraceSeriesMeasure, groupBy: TraceGroupBy | null, bucket = '1h') {
  return readTraceSeries(
    {
      store,
      pricerOf:
        async () =>
        (model, { input, cacheRead, cacheWrite, output }) =>
          model.startsWith('free')
            ? null
            : (input - cacheRead - cacheWrite) * 2 + cacheRead + cacheWrite * 3 + output * 8,
      ratesOf: createRates({ own: async () => new Map() }),
      clusters: new MemoryClusterMembers(),
      metricIdOf: async () => null,
      idLeadMs: world.dependencies.idLeadMs,
      clock: { now: () => 0 },
      fullText: true,
      breathe: async () => undefined,
    },
    {
      projectId: PROJECT,
      measure,
      groupBy,
      filters: NO_FILTERS,
      text: null,
      cluster: null,
      withoutMetric: null,
      scores: { metric: null, passed: null, minValue: null, maxValue: null, option: null },
      times: { startTime: BEGIN, endTime: BEGIN + 2 * HOUR, bucket },
    },
  )
}

/**
 * 110 models, each but `other` in one trace of its own; later models have less of each measure. 25 traces use
 * `cheap-0`.
 */
async function addManyModels() {
  const uses = [
    { name: 'other', models: ['other'], input: 100_000, cacheRead: 0 },
    // Much input, most of it cached.
    { name: 'cached', models: ['cached'], input: 60_000, cacheRead: 59_000 },
    ...Array.from({ length: 107 }, (_, n) => ({
      name: `m${n}`,
      models: n >= 105 ? [`m${n}`, 'free'] : [`m${n}`],
      input: 50_000 - n,
      cacheRead: 0,
    })),
    ...Array.from({ length: 25 }, () => ({ name: 'cheap-0', models: ['cheap-0'], input: 1, cacheRead: 0 })),
  ]
  const traces = uses.map(({ name, models, input, cacheRead }, n) => {
    const tokens = { input, output: 0, cacheRead, cacheWrite: 0 }
    const createdAt = BEGIN + (n % 2) * HOUR
    return traceRecord(idAt('tr', createdAt, n), {
      createdAt,
      name,
      models: models.toSorted(),
      status: name === 'cheap-0' ? 'ok' : 'error',
      ownStartedAt: 0,
      ownEndedAt: input,
      tokenUsage: { input, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
      digest: { ...EMPTY_DIGEST, usage: models.map((model) => ({ model, tokens })) },
    })
  })
  await world.addTraces(traces)
}

type Point = Awaited<ReturnType<typeof series>>['points'][number]

function sumOf(points: readonly Point[]): number {
  return points.reduce((sum, { aggregates, count }) => {
    if (aggregates.measure === 'error_rate') return sum + aggregates.errors
    if ('sum' in aggregates) return sum + aggregates.sum
    return sum + ('avg' in aggregates ? aggregates.avg * count : count)
  }, 0)
}

test('of more than a hundred groups those with the most of the measure are returned, the others as one', async () => {
  await addManyModels()
  for (const measure of ['count', 'error_rate', 'duration_ms', 'total_tokens', 'cost_usd'] as const) {
    const { points, groupsLeftOut } = await series(measure, { by: 'name' })
    const shown = new Set(points.filter(({ other }) => other !== true).map(({ group }) => group))
    assert.deepEqual([shown.size, groupsLeftOut], [100, 10], measure)
    // One name has the most traces; the others fail, take longer, use more and cost more.
    assert.equal(shown.has('cheap-0'), measure === 'count', measure)
    assert.equal(shown.has('m0'), true, measure)
    // Ties are ordered by name; `m99` is among the last.
    const isEven = measure === 'count' || measure === 'error_rate'
    assert.equal(shown.has(isEven ? 'm99' : 'm106'), false, measure)
    const whole = await series(measure, null)
    assert.ok(Math.abs(sumOf(points) / sumOf(whole.points) - 1) < 1e-9, `${measure}: all groups add up to the whole`)
  }
})

test('cost groups are chosen by price, including cached tokens, and models by their own steps', async () => {
  await addManyModels()
  const { points, groupsLeftOut } = await series('cost_usd', { by: 'model' })
  const shown = points.filter(({ other }) => other !== true).map(({ group }) => group)
  // 110 models and one without a price; `cached` costs 61,000, the last of those shown more than 99,000.
  assert.deepEqual([shown.length, groupsLeftOut], [100, 11])
  assert.deepEqual(
    ['cached', 'free', 'cheap-0', 'm98', 'm99'].map((model) => shown.includes(model)),
    [false, false, false, true, false],
  )
})

test('a group named like the others is separate', async () => {
  await addManyModels()
  const { points } = await series('cost_usd', { by: 'name' }, 'all')
  const named = points.find(({ group }) => group === 'other')
  assert.deepEqual([named?.other, named?.aggregates], [undefined, { measure: 'cost_usd', sum: 200_000 }])
  const others = points.at(-1)
  assert.deepEqual([others?.group, others?.other], [null, true])
})

test('a trace with several of the other models counts in them once', async () => {
  const named = Array.from({ length: 100 }, (_, n) => [`m${n}`])
  const models = [...named, ...named, ['x', 'y', 'z']]
  await world.addTraces(models.map((of, n) => traceRecord(idAt('tr', BEGIN, n), { createdAt: BEGIN, models: of })))
  const { points, groupsLeftOut } = await series('count', { by: 'model' })
  assert.deepEqual([points.at(-1)?.other, points.at(-1)?.count, groupsLeftOut], [true, 1, 3])
})

test('one bucket contains the whole time, percentiles included', async () => {
  const durations = [10, 20, 30, 40, 50]
  await world.addTraces(
    durations.map((ownEndedAt, n) =>
      traceRecord(idAt('tr', BEGIN + n * 1_000_000, n), {
        createdAt: BEGIN + n * 1_000_000,
        ownStartedAt: 0,
        ownEndedAt,
      }),
    ),
  )
  const { points, buckets } = await series('duration_ms', null, 'all')
  assert.deepEqual(
    points.map(({ at, count, aggregates }) => [at, count, 'p50' in aggregates && aggregates.p50]),
    [[BEGIN, 5, 30]],
  )
  assert.equal(buckets.text, 'all')
  assert.equal(toBucketedSpan({ startTime: 5, endTime: 12, bucket: 'all' }, 0).buckets.originMs, 5)
})
