import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { MetricId, TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { toBucketedSpan } from '../../../lib/time/time-buckets.ts'
import type { MetricAggregates, MetricGroupBy, MetricSeriesQuery } from '../../../ports/metrics/metric-series.ts'
import { idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { assertNear, plainBuckets, plainDistribution, plainLabel } from './aggregate-reference.test-support.ts'
import { aggregateWorld, type PointRow } from './aggregate-world.test-support.ts'
import { ClickHouseMetricSeries } from './clickhouse-metric-series.ts'
import { SeriesCache } from './series-cache.ts'
import { times } from '../../../lib/times.test-support.ts'

const world = await aggregateWorld()
/** A cache that stores nothing. */
const NO_CACHE = new SeriesCache(0)
const series = new ClickHouseMetricSeries(world.dependencies, NO_CACHE)
afterEach(() => world.clear())

// The clocks of Los Angeles change in the second of these three days.
const BEGIN = Date.UTC(2025, 9, 31, 22)
const END = BEGIN + 3 * 24 * 3_600_000
const METRIC: MetricId = idAt('met', 1)
const OTHER_METRIC: MetricId = idAt('met', 2)
const OPTIONS = ['good', "b'ad", '__proto__']
const NO_FILTERS = { ...toTraceFilters('events', {}), source: null, metadata: [] }

let made = 0
function point(fields: Partial<PointRow> = {}): PointRow {
  made += 1
  const id = idAt('mev', BEGIN, made)
  return {
    metricId: METRIC,
    at: BEGIN,
    id,
    traceId: idAt('tr', 1),
    value: 1,
    option: '',
    source: '',
    runType: 'agent',
    models: [],
    metadata: {},
    ...fields,
  }
}

function query(fields: Partial<MetricSeriesQuery> & { readonly bucket?: string } = {}): MetricSeriesQuery {
  const { bucket: asked = '1h', ...rest } = fields
  const [bucket, zone = null] = asked.split(' ') as [string, string?]
  const { span, buckets } = toBucketedSpan({ startTime: BEGIN, endTime: END, bucket, zone }, 0)
  return {
    projectId: PROJECT,
    metricId: METRIC,
    kind: 'numeric',
    options: ['unused', ...OPTIONS],
    span,
    buckets,
    filters: NO_FILTERS,
    groupBy: null,
    ...rest,
  }
}

const numbers = fc
  .oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: -1e6, max: 1e6 }))
  .map((n) => n + 0)
const metadataValues = fc.constantFrom<unknown>(
  'prod',
  'dev',
  '1',
  1,
  true,
  null,
  '"1"',
  ['x', { y: 1 }],
  'é',
  'x'.repeat(10),
)
const pointRows = fc.record({
  metricId: fc.constantFrom(METRIC, METRIC, METRIC, OTHER_METRIC),
  at: fc.oneof(
    fc.integer({ min: BEGIN - 3_600_000, max: END + 24 * 3_600_000 }),
    fc.tuple(fc.constantFrom(BEGIN, END), fc.integer({ min: -90_000, max: 90_000 })).map(([edge, by]) => edge + by),
  ),
  traceId: fc.integer({ min: 1, max: 6 }).map((n): TraceId => idAt('tr', n)),
  value: numbers,
  option: fc.constantFrom(...OPTIONS),
  source: fc.constantFrom('' as const, 'human' as const, 'code' as const),
  runType: fc.constantFrom('agent', 'eval'),
  models: fc.uniqueArray(fc.constantFrom('gpt', 'o"3', 'claude')),
  metadata: fc.dictionary(fc.constantFrom('env', 'k"ey'), metadataValues),
})
const groupings = fc.constantFrom<MetricGroupBy | null>(
  null,
  { by: 'run_type' },
  { by: 'model' },
  { by: 'source' },
  { by: 'metadata', key: 'env' },
  { by: 'metadata', key: 'k"ey' },
)

function groupsOf(groupBy: MetricGroupBy | null): (row: PointRow) => readonly (string | null)[] {
  return (row) => {
    switch (groupBy?.by) {
      case undefined:
        return [null]
      case 'run_type':
        return [row.runType]
      case 'source':
        return [row.source === '' ? null : row.source]
      case 'model':
        return row.models.length === 0 ? [null] : row.models
      case 'metadata':
        return [Object.hasOwn(row.metadata, groupBy.key) ? plainLabel(row.metadata[groupBy.key]) : null]
    }
  }
}

function plainAggregates(kind: MetricSeriesQuery['kind'], rows: readonly PointRow[]): MetricAggregates {
  const values = rows.map(({ value }) => value)
  switch (kind) {
    case 'boolean':
      return { kind, passed: values.filter((value) => value === 1).length }
    case 'enum': {
      const counts = [...Map.groupBy(rows, ({ option }) => option)].map(([option, of]) => [option, of.length] as const)
      return { kind, counts: Object.fromEntries(counts) }
    }
    case 'numeric':
      return { kind, ...plainDistribution('metrics', values) }
  }
}

test('every aggregate equals a plain computation over the same rows, for any bucket, group and filter', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(pointRows, { minLength: 1, maxLength: 60 }),
      fc.constantFrom('boolean' as const, 'numeric' as const, 'enum' as const),
      fc.constantFrom('1m', '7m', '90s', '1h', '5h', '1d', '1w', '3w', '1d America/Los_Angeles'),
      fc.tuple(fc.constantFrom(0, 1, 29_999, 60_000), fc.constantFrom(0, 1, 29_999, 60_000)),
      groupings,
      fc.record({
        runType: fc.constantFrom(null, null, 'agent'),
        model: fc.constantFrom(null, null, 'gpt', 'o"3'),
        source: fc.constantFrom(null, null, 'human' as const),
        metadata: fc.constantFrom<MetricSeriesQuery['filters']['metadata']>(
          [],
          [],
          [{ key: 'env', value: null }],
          [{ key: 'env', value: 'prod' }],
        ),
      }),
      fc.subarray([1, 2, 3]),
      async (fields, kind, bucket, [later, earlier], groupBy, filters, deleted) => {
        await world.clear()
        const rows = fields.map((row) => {
          const value = kind === 'boolean' ? Number(row.value > 0) : row.value
          return point({ ...row, value })
        })
        await world.addPoints(rows.slice(0, 20))
        await world.addPoints(rows.slice(20))
        for (const number of deleted) world.pending.push({ projectId: PROJECT, traceId: idAt('tr', number) })
        const span = { startTime: BEGIN + later, endTime: END - earlier }
        const asked = query({ kind, bucket, span, groupBy, filters: { ...NO_FILTERS, ...filters } })
        const gone = new Set(world.pending.map(({ traceId }) => traceId))
        const counted = rows.filter(
          (row) =>
            row.metricId === METRIC &&
            row.at >= asked.span.startTime &&
            row.at < asked.span.endTime &&
            !gone.has(row.traceId) &&
            (filters.runType === null || row.runType === filters.runType) &&
            (filters.model === null || row.models.includes(filters.model)) &&
            (filters.source === null || row.source === filters.source) &&
            filters.metadata.every(
              ({ key, value }) => Object.hasOwn(row.metadata, key) && (value === null || row.metadata[key] === value),
            ),
        )
        const expected = plainBuckets(counted, ({ at }) => at, asked.buckets, groupsOf(groupBy)).map(
          ({ at, group, rows: inBucket }) => ({
            at,
            group,
            count: inBucket.length,
            aggregates: plainAggregates(kind, inBucket),
          }),
        )
        const found = await series.metricSeries(asked)
        assertNear(found.points, expected)
        assert.equal(found.groupsLeftOut, 0)
      },
    ),
    { numRuns: times(20) },
  )
})

test('the average of the largest numbers is finite', async () => {
  const huge = [Number.MAX_VALUE, Number.MAX_VALUE, Number.MAX_VALUE, Number.MAX_VALUE]
  await world.addPoints(huge.map((value) => point({ value })))
  const [found] = (await series.metricSeries(query())).points
  assert.equal(found?.count, 4)
  assert.ok(found.aggregates.kind === 'numeric')
  const { avg, min, max, p50, p95 } = found.aggregates
  assert.deepEqual([avg, min, max, p50, p95], Array(5).fill(Number.MAX_VALUE))
})

test('numbers whose sum overflows have an average', async () => {
  const { MAX_VALUE } = Number
  const values = [MAX_VALUE, MAX_VALUE, -MAX_VALUE, -MAX_VALUE, 8]
  await world.addPoints(values.map((value) => point({ value })))
  const [found] = (await series.metricSeries(query())).points
  assert.ok(found?.aggregates.kind === 'numeric')
  assert.ok(Math.abs(found.aggregates.avg) < 1e292, `${found.aggregates.avg}`)
})

test('a rate is exact', async () => {
  await world.addPoints(Array.from({ length: 9000 }, (_, n) => point({ at: BEGIN + n, value: n % 3 === 0 ? 1 : 0 })))
  const { points } = await series.metricSeries(query({ kind: 'boolean', bucket: '1d' }))
  assert.deepEqual(points, [
    { at: Date.UTC(2025, 9, 31), group: null, count: 9000, aggregates: { kind: 'boolean', passed: 3000 } },
  ])
})

test('percentiles of more than a sample are close to the exact ones', async () => {
  const values = Array.from({ length: 40_000 }, (_, n) => (n * 7919) % 40_000)
  await world.addPoints(values.map((value, n) => point({ at: BEGIN + n, value })))
  const [found] = (await series.metricSeries(query({ bucket: '1d' }))).points
  assert.ok(found?.aggregates.kind === 'numeric')
  // Five standard deviations of the rank.
  assert.ok(Math.abs(found.aggregates.p50 / 40_000 - 0.5) < 0.0275, `p50 ${found.aggregates.p50}`)
  assert.ok(Math.abs(found.aggregates.p95 / 40_000 - 0.95) < 0.012, `p95 ${found.aggregates.p95}`)
})

test('of more than a hundred groups the largest are returned, all others as one', async () => {
  const rows = Array.from({ length: 130 }, (_, n) => point({ metadata: { task: n } }))
  const twice = [7, 120, 129].map((n) => point({ at: BEGIN + 1, metadata: { task: n } }))
  await world.addPoints([...rows, ...twice])
  const found = await series.metricSeries(query({ groupBy: { by: 'metadata', key: 'task' } }))
  assert.equal(found.groupsLeftOut, 30)
  assert.equal(found.points.length, 101)
  const others = found.points.at(-1)
  assert.deepEqual([others?.group, others?.other, others?.count], [null, true, 30])
  const large = found.points.filter(({ count }) => count === 2).map(({ group }) => group)
  assert.deepEqual(large, ['120', '129', '7'])
})

test('a result with too many points is refused', async () => {
  const rows = Array.from({ length: 5001 }, (_, n) => [
    point({ at: BEGIN + n * 1000, runType: 'a' }),
    point({ at: BEGIN + n * 1000, runType: 'b' }),
  ])
  await world.addPoints(rows.flat())
  const { span, buckets } = toBucketedSpan({ startTime: BEGIN, endTime: BEGIN + 5_001_000, bucket: '1s' }, 0)
  const asked = { ...query({ kind: 'boolean' }), span, buckets }
  assert.equal((await series.metricSeries(asked)).points.length, 5001)
  await assert.rejects(series.metricSeries({ ...asked, groupBy: { by: 'run_type' } }), {
    name: 'DomainError',
    code: 'validation_failed',
  })
})

test('values too long for a term have their own groups', async () => {
  const [long, longer] = ['x'.repeat(200), 'x'.repeat(201)]
  await world.addPoints([long, longer, long].map((env) => point({ metadata: { env } })))
  const { points } = await series.metricSeries(query({ kind: 'boolean', groupBy: { by: 'metadata', key: 'env' } }))
  assert.deepEqual(points.map(({ count }) => count).toSorted(), [1, 2])
  for (const { group } of points) assert.match(group ?? '', /^sha256:[\w-]{43}$/)
})

test('an option that was added after the query began does not count', async () => {
  await world.addPoints([point({ option: 'good' }), point({ option: 'new' })])
  const { points } = await series.metricSeries(query({ kind: 'enum' }))
  assert.deepEqual(points, [{ at: BEGIN, group: null, count: 1, aggregates: { kind: 'enum', counts: { good: 1 } } }])
})

test('events of another project do not count', async () => {
  await world.addPoints([point()])
  assert.deepEqual((await series.metricSeries(query({ projectId: OTHER_PROJECT }))).points, [])
})

test('events of traces that wait to be purged are left out, also when a statement cannot name them all', async () => {
  const [kept, gone] = [idAt('tr', BEGIN, 1), idAt('tr', BEGIN, 2)]
  await world.addPoints([point({ traceId: kept }), point({ traceId: gone })])
  world.pending.push({ projectId: OTHER_PROJECT, traceId: kept })
  const count = async () => (await series.metricSeries(query())).points[0]?.count
  assert.equal(await count(), 2, 'deletions of another project have no effect')
  world.pending.push({ projectId: PROJECT, traceId: gone })
  assert.equal(await count(), 1)
  await world.addTraces([traceRecord(gone, { deleted: true, version: 2, createdAt: BEGIN })])
  for (let n = 3; n < 5000; n++) world.pending.push({ projectId: PROJECT, traceId: idAt('tr', BEGIN, n) })
  assert.equal(await count(), 1)
})

test('events of expired traces count, also when a statement cannot name the other deleted traces', async () => {
  const [expired, gone] = [idAt('tr', BEGIN, 1), idAt('tr', BEGIN, 2)]
  await world.addPoints([point({ traceId: expired }), point({ traceId: gone })])
  const count = async () => (await series.metricSeries(query())).points[0]?.count
  world.pending.push({ projectId: PROJECT, traceId: expired, isExpired: true })
  assert.equal(await count(), 2)
  const second = { version: 2, createdAt: BEGIN }
  await world.addTraces([
    traceRecord(expired, { deleted: 'expired', ...second }),
    traceRecord(gone, { deleted: true, ...second }),
  ])
  for (let n = 2; n < 5000; n++) world.pending.push({ projectId: PROJECT, traceId: idAt('tr', BEGIN, n) })
  assert.equal(await count(), 1)
})

test('a query waits until everything committed before it has settled', async () => {
  await world.addPoints([point()])
  await series.metricSeries(query())
  assert.deepEqual(world.waits, ['settled'])
  const held = Promise.withResolvers<undefined>()
  const late = new ClickHouseMetricSeries({ ...world.dependencies, settled: () => held.promise }, NO_CACHE)
  const answer = late.metricSeries(query())
  await world.addPoints([point()])
  held.resolve(undefined)
  assert.equal((await answer).points[0]?.count, 2)
})
