import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { toBucketedSpan } from '../../../lib/time/time-buckets.ts'
import { EMPTY_DIGEST } from '../../../traces/rules/trace-digest.ts'
import { idAt, newStep, preparedStep, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import type { SeriesGroup } from '../../../ports/traces/explored-series.ts'
import type { SeriesMeasureName } from '@spoor/contract/series-fields'
import { aggregateWorld } from './aggregate-world.test-support.ts'
import { ClickHouseExploredSeries } from './clickhouse-explored-series.ts'
import { exploredQuery, pointsOf, ratesOf } from './explored-query.test-support.ts'
import { SeriesCache } from './series-cache.ts'

const world = await aggregateWorld()
const store = new ClickHouseExploredSeries(world.dependencies, new SeriesCache(0))
afterEach(() => world.clear())

const BEGIN = Date.UTC(2026, 1, 27, 22)
const HOUR = 3_600_000
const PRICE = { input: 2e6, cacheRead: 1e6, cacheWrite: 3e6, output: 8e6 }

async function series(measure: SeriesMeasureName, groupBy: SeriesGroup | null, bucket = '1h') {
  const names = ['other', 'cached', 'cheap-0', ...Array.from({ length: 107 }, (_, n) => `m${n}`)]
  const rates = measure === 'cost_usd' ? await ratesOf(Object.fromEntries(names.map((name) => [name, PRICE]))) : null
  const times = toBucketedSpan({ startTime: BEGIN, endTime: BEGIN + 2 * HOUR, bucket }, 0)
  const asked = exploredQuery({ ...times, measure, groupBy: groupBy === null ? [] : [groupBy], rates })
  const found = await store.exploredSeries(asked)
  return { found, points: pointsOf(found), groupsLeftOut: found.groupsLeftOut, buckets: times.buckets }
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

/** The total of the measure over all points. */
function sumOf({ points }: Awaited<ReturnType<typeof series>>['found']): number {
  return points.reduce((total, { now: { count, value, sum, errors } }) => total + (errors ?? sum ?? value ?? count), 0)
}

test('of more than a hundred groups those with the most of the measure are returned, the others as one', async () => {
  await addManyModels()
  for (const measure of ['count', 'error_rate', 'duration_ms', 'total_tokens', 'cost_usd'] as const) {
    const { found, points, groupsLeftOut } = await series(measure, { by: 'name' })
    const shown = new Set(points.filter(({ other }) => !other).map(({ group }) => group))
    assert.deepEqual([shown.size, groupsLeftOut], [100, 10], measure)
    // One name has the most traces; the others fail, take longer, use more and cost more.
    assert.equal(shown.has('cheap-0'), measure === 'count', measure)
    assert.equal(shown.has('m0'), true, measure)
    // Ties are ordered by name; `m99` is among the last.
    const isEven = measure === 'count' || measure === 'error_rate'
    assert.equal(shown.has(isEven ? 'm99' : 'm106'), false, measure)
    const whole = await series(measure, null)
    assert.ok(Math.abs(sumOf(found) / sumOf(whole.found) - 1) < 1e-9, `${measure}: all groups add up to the whole`)
  }
})

test('cost groups are chosen by price, including cached tokens, and models by their own steps', async () => {
  await addManyModels()
  const { points, groupsLeftOut } = await series('cost_usd', { by: 'model' })
  const shown = points.filter(({ other }) => !other).map(({ group }) => group)
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
  assert.deepEqual([named?.other, named?.value], [false, 200_000])
  const others = points.at(-1)
  assert.deepEqual([others?.group, others?.other], [null, true])
})

test('each of more traces than an answer has points counts in the group of its steps', async () => {
  const traces = Array.from({ length: 10_500 }, (_, n) => traceRecord(idAt('tr', BEGIN, n), { createdAt: BEGIN }))
  const steps = traces.map((trace) => newStep(trace, 0, { prepared: preparedStep({ name: 'look up' }) }))
  // Each part ends the groups of a read that has too many.
  for (let at = 0; at < traces.length; at += 3500)
    await world.addTraces(traces.slice(at, at + 3500), steps.slice(at, at + 3500))
  const { points } = await series('count', { by: 'step_name' }, 'all')
  assert.deepEqual(
    points.map(({ group, count }) => [group, count]),
    [['look up', 10_500]],
  )
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
    points.map(({ at, count, value }) => [at, count, value]),
    [[BEGIN, 5, 30]],
  )
  assert.equal(buckets.text, 'all')
  assert.equal(toBucketedSpan({ startTime: 5, endTime: 12, bucket: 'all' }, 0).buckets.originMs, 5)
})
