import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SERIES_GROUPS_MAX, SERIES_POINTS_MAX } from '@spoor/contract/limits'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { toBucketedSpan } from '../../lib/time/time-buckets.ts'
import {
  metricEventRecord,
  METRIC,
  newMetricEvent,
  OTHER_METRIC,
} from '../../traces/commit/metric-event-builders.test-support.ts'
import { metadataTerms } from '../../traces/rules/terms.ts'
import { idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../../traces/trace-builders.test-support.ts'
import type { MetricEventRecord } from '../journal/metric-event.ts'
import type { TraceRecord } from '../traces/trace-record.ts'
import type { NewMetricEvent } from '../traces/trace-store.ts'
import type { MetricSeriesQuery, MetricSeriesStore } from './metric-series.ts'

export interface MetricSeriesUnderTest {
  readonly series: MetricSeriesStore
  /** Commits versions of traces and metric events. */
  write(traces: readonly TraceRecord[], events: readonly NewMetricEvent[]): Promise<void>
  /** Commits a tombstone of a trace; its rows still exist. */
  remove(trace: TraceRecord): Promise<void>
}

const NOON = Date.UTC(2026, 1, 27, 12)
const HOUR = 3_600_000
/** Of the other project. */
const FOREIGN_METRIC = idAt('met', 9)

/** The contract of every MetricSeriesStore. `open` returns an empty store. */
export function testMetricSeries(open: () => Promise<MetricSeriesUnderTest>): void {
  const counts = async ({ series }: MetricSeriesUnderTest, fields: Parameters<typeof queryOf>[0] = {}) =>
    (await series.metricSeries(queryOf(fields))).points.map(({ at, group, count }) => [
      (at - NOON) / HOUR,
      group,
      count,
    ])

  test('a span without events has no points', async () => {
    const world = await open()
    assert.deepEqual(await world.series.metricSeries(queryOf()), { points: [], groupsLeftOut: 0 })
  })

  test('the span includes its start and excludes its end; empty buckets are left out; equal times all count', async () => {
    const world = await open()
    const at = [-1, 0, 0, HOUR - 1, 2 * HOUR, 3 * HOUR - 1, 3 * HOUR].map((offset) => NOON + offset)
    await world.write(
      [],
      at.map((time, n) => event(n, { at: time })),
    )
    assert.deepEqual(await counts(world), [
      [0, null, 3],
      [2, null, 2],
    ])
  })

  test('numbers are aggregated for each bucket', async () => {
    const world = await open()
    await world.write(
      [],
      [4, 1, 3, 2].map((number) => event(number, { value: { kind: 'numeric', number } })),
    )
    const { points } = await world.series.metricSeries(queryOf())
    const aggregates = points.map((point) => point.aggregates)
    assert.ok(aggregates[0]?.kind === 'numeric')
    const { avg, min, max, p50, p95 } = aggregates[0]
    assert.deepEqual({ avg, min, max, p50 }, { avg: 2.5, min: 1, max: 4, p50: 2.5 })
    assert.ok(Math.abs(p95 - 3.85) < 1e-6)
  })

  test('passes of booleans and options of enums are counted; an unknown option does not count', async () => {
    const world = await open()
    await world.write(
      [],
      [true, false, true].map((passed, n) => event(n, { value: { kind: 'boolean', passed } })),
    )
    const options = ['good', 'bad', 'good', 'new'].map((option, n) =>
      event(10 + n, { metricId: OTHER_METRIC, value: { kind: 'enum', option } }),
    )
    await world.write([], options)
    const booleans = await world.series.metricSeries(queryOf({ kind: 'boolean' }))
    assert.deepEqual(booleans.points, [{ at: NOON, group: null, count: 3, aggregates: { kind: 'boolean', passed: 2 } }])
    const enums = await world.series.metricSeries(
      queryOf({ kind: 'enum', metricId: OTHER_METRIC, options: ['good', 'bad', 'unused'] }),
    )
    const aggregates = { kind: 'enum', counts: { good: 2, bad: 1 } }
    assert.deepEqual(enums.points, [{ at: NOON, group: null, count: 3, aggregates }])
  })

  test('points are ordered by bucket, then by group, without a group first; two models are two groups', async () => {
    const world = await open()
    await world.write(
      [],
      [
        event(1, {}, { models: ['b', 'a'] }),
        event(2, {}, { models: ['a'] }),
        event(3),
        event(4, { at: NOON + HOUR }, { models: ['b'] }),
      ],
    )
    assert.deepEqual(await counts(world, { groupBy: { by: 'model' } }), [
      [0, null, 1],
      [0, 'a', 2],
      [0, 'b', 1],
      [1, 'b', 1],
    ])
  })

  test('groups are by run type, source or a key of metadata', async () => {
    const world = await open()
    const prod = { metadata: Buffer.from('{"env":"prod"}') }
    await world.write([], [event(1, { ...prod, source: 'human' }), event(2, {}, { runType: 'eval' })])
    const groups = async (groupBy: MetricSeriesQuery['groupBy']) =>
      (await counts(world, { groupBy })).map(([, group]) => group)
    assert.deepEqual(await groups({ by: 'run_type' }), ['agent', 'eval'])
    assert.deepEqual(await groups({ by: 'source' }), [null, 'human'])
    assert.deepEqual(await groups({ by: 'metadata', key: 'env' }), [null, 'prod'])
  })

  test('all filters must hold', async () => {
    const world = await open()
    const prod = { metadata: Buffer.from('{"env":"prod"}') }
    await world.write(
      [],
      [event(1, { ...prod, source: 'human' }), event(2, prod, { runType: 'eval', models: ['a'] }), event(3)],
    )
    const count = async (filters: Partial<MetricSeriesQuery['filters']>) =>
      (await counts(world, { filters: { ...queryOf().filters, ...filters } }))[0]?.[2]
    assert.equal(await count({ source: 'human' }), 1)
    assert.equal(await count({ runType: 'eval', model: 'a' }), 1)
    assert.equal(await count({ metadata: [{ key: 'env', value: null }] }), 2)
    assert.equal(await count({ metadata: [{ key: 'env', value: 'prod' }], source: 'human' }), 1)
    assert.equal(await count({ runType: 'eval', source: 'human' }), undefined)
  })

  test('events of other projects, of other metrics and of deleted traces do not count', async () => {
    const world = await open()
    const [kept, gone] = [1, 2].map((n) => traceRecord(idAt('tr', NOON, n), { createdAt: NOON }))
    assert.ok(kept && gone)
    const foreign = event(3, { projectId: OTHER_PROJECT, metricId: FOREIGN_METRIC })
    const events = [event(1, { traceId: kept.id }), event(2, { traceId: gone.id }), foreign]
    await world.write([kept, gone], [...events, event(4, { metricId: OTHER_METRIC })])
    assert.deepEqual(await counts(world), [[0, null, 2]])
    await world.remove(gone)
    assert.deepEqual(await counts(world), [[0, null, 1]])
    assert.deepEqual(await counts(world, { projectId: OTHER_PROJECT, metricId: FOREIGN_METRIC }), [[0, null, 1]])
    assert.deepEqual(await counts(world, { metricId: OTHER_METRIC }), [[0, null, 1]])
  })

  test('a repeated query includes what was committed since', async () => {
    const world = await open()
    for (const n of [1, 2, 3]) {
      await world.write([], [event(n)])
      assert.deepEqual(await counts(world), [[0, null, n]])
    }
  })

  test('the largest groups are returned, and all others as one', async () => {
    const world = await open()
    const groups = Array.from({ length: SERIES_GROUPS_MAX + 5 }, (_, n) => n)
    const ofGroup = (n: number, again = 0) => event(n + again, { metadata: Buffer.from(`{"task":"${n}"}`) })
    await world.write(
      [],
      [...groups.map((n) => ofGroup(n)), ...groups.slice(0, SERIES_GROUPS_MAX).map((n) => ofGroup(n, 1000))],
    )
    const { points, groupsLeftOut } = await world.series.metricSeries(
      queryOf({ groupBy: { by: 'metadata', key: 'task' } }),
    )
    assert.deepEqual([points.length, groupsLeftOut], [SERIES_GROUPS_MAX + 1, 5])
    const others = points.filter(({ other }) => other === true)
    assert.deepEqual(
      others.map(({ group, count }) => [group, count]),
      [[null, 5]],
    )
  })

  test('too many points are an error', async () => {
    const world = await open()
    const first = SERIES_POINTS_MAX / 2 + 1
    const events = Array.from({ length: first }, (_, n) => event(n, { at: NOON + n * 1000 }, { models: ['a', 'b'] }))
    await world.write([], events)
    const { span, buckets } = toBucketedSpan({ startTime: NOON, endTime: NOON + first * 1000, bucket: '1s' }, 0)
    assert.equal((await world.series.metricSeries({ ...queryOf(), span, buckets })).points.length, first)
    await assert.rejects(world.series.metricSeries({ ...queryOf({ groupBy: { by: 'model' } }), span, buckets }), {
      name: 'DomainError',
      code: 'validation_failed',
    })
  })
}

/** Three hours from noon, an hour each bucket. */
function queryOf(fields: Partial<MetricSeriesQuery> = {}): MetricSeriesQuery {
  const { span, buckets } = toBucketedSpan({ startTime: NOON, endTime: NOON + 3 * HOUR, bucket: '1h' }, 0)
  return {
    projectId: PROJECT,
    metricId: METRIC,
    kind: 'numeric',
    options: [],
    span,
    buckets,
    filters: { ...toTraceFilters('events', {}), source: null, metadata: [] },
    groupBy: null,
    ...fields,
  }
}

function event(
  number: number,
  fields: Partial<MetricEventRecord> = {},
  ofTrace: Partial<NewMetricEvent> = {},
): NewMetricEvent {
  const value = { kind: 'numeric', number: 1 } as const
  const record = metricEventRecord(idAt('mev', NOON, number), { at: NOON, value, ...fields })
  return newMetricEvent(record, { terms: metadataTerms(record.metadata), ...ofTrace })
}
