import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { toBucketedSpan } from '../../../lib/time/time-buckets.ts'
import { METRIC } from '../../../traces/commit/metric-event-builders.test-support.ts'
import { idAt, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { aggregateWorld } from './aggregate-world.test-support.ts'
import { ClickHouseExploredSeries } from './clickhouse-explored-series.ts'
import { ClickHouseMetricSeries } from './clickhouse-metric-series.ts'
import { exploredQuery } from './explored-query.test-support.ts'
import { SeriesCache } from './series-cache.ts'

const BEGIN = Date.UTC(2026, 10, 1)
const HOUR = 3_600_000
const NAMES = 150
const USERS = 80
const world = await aggregateWorld()
// A name has one to seven traces, of different durations.
const traces = Array.from({ length: NAMES * 7 }, (_, n) => ({ n, name: n % NAMES, turn: Math.floor(n / NAMES) }))
  .filter(({ name, turn }) => turn <= name % 7)
  .map(({ n, name }) =>
    traceRecord(idAt('tr', BEGIN + (n % 5) * HOUR, n), {
      createdAt: BEGIN + (n % 5) * HOUR,
      name: `name ${name}`,
      userId: `user ${name % USERS}`,
      ownStartedAt: BEGIN,
      ownEndedAt: BEGIN + ((n * 7919) % 1000),
    }),
  )
await world.addTraces(traces)
await world.addPoints(
  traces.map(({ createdAt, name }, n) => ({
    metricId: METRIC,
    at: createdAt,
    id: idAt('mev', createdAt, n),
    traceId: traces[n]!.id,
    value: n % 13,
    option: '',
    source: '',
    runType: name ?? '',
    models: [],
    metadata: { name: name ?? '' },
  })),
)

/** An engine that reads no more than a quarter of the groups at once, and how often it refused. */
function smallEngine() {
  let refused = 0
  const select = (sql: string) => {
    const slices = Number(/ % (\d+) = /.exec(sql)?.[1] ?? 1)
    // What adds up is read in halves of its time instead.
    const isOfGroups = /GROUP BY g\b|GROUP BY h, b WITH ROLLUP/.test(sql)
    if (!isOfGroups || slices >= 4) return world.engine.select(sql)
    refused++
    return Promise.reject(Object.assign(new Error('memory'), { clickhouseCode: 241 }))
  }
  return { engine: { ...world.engine, select }, refusals: () => refused }
}

const { span, buckets } = toBucketedSpan({ startTime: BEGIN, endTime: BEGIN + 5 * HOUR, bucket: '1h', zone: null }, 0)

for (const [by, measure, stat, limit] of [
  ['name', 'duration_ms', 'p50', 100],
  ['user_id', 'duration_ms', 'p50', 100],
  ['name', 'duration_ms', 'max', 20],
  ['name', 'count', 'count', 100],
] as const) {
  test(`${limit} groups of ${by} by ${stat} of ${measure} are the same when they are read for a part each`, async () => {
    const asked = exploredQuery({ span, buckets, measure, stat, limit, groupBy: [{ by }] })
    const { engine, refusals } = smallEngine()
    const small = new ClickHouseExploredSeries({ ...world.dependencies, engine }, new SeriesCache(0))
    const whole = await new ClickHouseExploredSeries(world.dependencies, new SeriesCache(0)).exploredSeries(asked)
    assert.equal(whole.groupsLeftOut, by === 'name' ? NAMES - limit : 0)
    assert.deepEqual(await small.exploredSeries(asked), whole)
    assert.ok(refusals() > 0)
  })
}

test('so are the groups of values of a metric', async () => {
  const asked = {
    projectId: PROJECT,
    metricId: METRIC,
    kind: 'numeric',
    options: [],
    span,
    buckets,
    filters: { ...toTraceFilters('events', {}), source: null, metadata: [] },
    groupBy: { by: 'metadata', key: 'name' },
  } as const
  const { engine, refusals } = smallEngine()
  const small = new ClickHouseMetricSeries({ ...world.dependencies, engine }, new SeriesCache(0))
  const whole = await new ClickHouseMetricSeries(world.dependencies, new SeriesCache(0)).metricSeries(asked)
  assert.equal(whole.groupsLeftOut, NAMES - 100)
  assert.deepEqual(await small.metricSeries(asked), whole)
  assert.ok(refusals() > 0)
})
