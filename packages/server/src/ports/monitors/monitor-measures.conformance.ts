import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import {
  metricEventRecord,
  METRIC,
  newMetricEvent,
  OTHER_METRIC,
} from '../../traces/commit/metric-event-builders.test-support.ts'
import { costKey } from '../../pricing/cost-key.ts'
import { NO_TOKENS } from '../../traces/rules/rollup.ts'
import { NO_CALLS_YET } from '../../traces/rules/run-calls.ts'
import { metadataTerms } from '../../traces/rules/terms.ts'
import { EMPTY_DIGEST } from '../../traces/rules/trace-digest.ts'
import { idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../../traces/trace-builders.test-support.ts'
import type { MetricEventRecord, MetricValue } from '../journal/metric-event.ts'
import type { ModelRates } from '../prices/price.ts'
import type { TraceRecord } from '../traces/trace-record.ts'
import type { NewMetricEvent } from '../traces/trace-store.ts'
import type {
  MeasureFilters,
  MeasureQuery,
  MeasureSource,
  MonitorMeasure,
  MonitorMeasures,
} from './monitor-measures.ts'

export interface MeasuresUnderTest {
  readonly measures: MonitorMeasures
  /** Commits versions of traces and metric events. */
  write(traces: readonly TraceRecord[], events: readonly NewMetricEvent[]): Promise<void>
  /** Commits a tombstone of a trace; its rows still exist. */
  remove(trace: TraceRecord): Promise<void>
}

const NOON = Date.UTC(2026, 1, 27, 12)
const MINUTE = 60_000
/** Of the other project. */
const FOREIGN_METRIC = idAt('met', 9)
const NO_FILTERS: MeasureFilters = {
  ...toTraceFilters('monitors', {}),
  metadata: [],
  source: null,
}
/** Half a dollar for a token of the model `priced`; no other model has a price. */
const rateOf: ModelRates['of'] = (model) =>
  model === 'priced' ? { input: 500_000, output: 500_000, cacheRead: null, cacheWrite: null } : null
export const MEASURED_RATES: ModelRates = { of: rateOf, costKey: costKey.bind(null, rateOf), fingerprint: 'f' }
const HOUR_WINDOW = { from: NOON - 60 * MINUTE, until: NOON + 60 * MINUTE }

/** The contract of every MonitorMeasures. `open` returns an empty store. */
export function testMonitorMeasures(open: () => Promise<MeasuresUnderTest>): void {
  const ask = async ({ measures }: MeasuresUnderTest, fields: Partial<MeasureQuery>, window = HOUR_WINDOW) => {
    const [result] = await measures.measure(PROJECT, [{ ...queryOf(fields), ...window }])
    return result
  }

  test('an empty window has no value and no samples, but a count of 0', async () => {
    const { measures } = await open()
    const queries = [queryOf({}), queryOf({ aggregation: 'avg' }), queryOf({ aggregation: 'share', option: 'good' })]
    const expected = [0, null, null].map((value) => ({ value, samples: 0 }))
    assert.deepEqual(
      await measures.measure(
        PROJECT,
        queries.map((query) => Object.assign(query, HOUR_WINDOW)),
      ),
      expected,
    )
    assert.deepEqual(await measures.measure(PROJECT, []), [])
    const traces = queryOf({ source: traceSource('error_rate'), aggregation: 'avg' })
    assert.deepEqual(await measures.measure(PROJECT, [{ ...traces, ...HOUR_WINDOW }]), [{ value: null, samples: 0 }])
    const times = { firstAt: NOON, stepMs: MINUTE, count: 2, windowMs: MINUTE }
    assert.deepEqual(await measures.measureOver(PROJECT, queryOf({}), times), [expected[0], expected[0]])
  })

  test('a window excludes its start and includes its end; rows with equal times all count', async () => {
    const world = await open()
    const at = [0, 0, 1, 5, 5, 6].map((offset) => NOON + offset)
    const traces = at.map((time, n) => trace(n, { createdAt: time }))
    await world.write(
      traces,
      at.map((time, n) => event(n, { at: time })),
    )
    const window = { from: NOON, until: NOON + 5 }
    for (const source of [metricSource(), traceSource('count')]) {
      assert.deepEqual(await ask(world, { source }, window), { value: 3, samples: 3 })
    }
  })

  test('results are in the order of the queries', async () => {
    const world = await open()
    await world.write(
      [],
      [1, 2, 3].map((n) => event(n, { at: NOON + n, value: numeric(n * 10) })),
    )
    const windows = [3, 1, 2].map((n) =>
      Object.assign(queryOf({ aggregation: 'sum' }), { from: NOON + n - 1, until: NOON + n }),
    )
    const results = await world.measures.measure(PROJECT, windows)
    assert.deepEqual(
      results.map(({ value }) => value),
      [30, 10, 20],
    )
  })

  test('numbers are aggregated; percentiles are interpolated', async () => {
    const world = await open()
    await world.write(
      [],
      [4, 1, 2, 3].map((n) => event(n, { value: numeric(n) })),
    )
    for (const [aggregation, value] of [
      ['avg', 2.5],
      ['sum', 10],
      ['count', 4],
      ['min', 1],
      ['max', 4],
      ['p50', 2.5],
    ] as const) {
      assert.deepEqual(await ask(world, { aggregation }), { value, samples: 4 }, aggregation)
    }
  })

  test('booleans count as 1 and 0', async () => {
    const world = await open()
    await world.write(
      [],
      [true, false, true, true].map((passed, n) => event(n, { value: { kind: 'boolean', passed } })),
    )
    assert.deepEqual(await ask(world, { aggregation: 'pass_rate' }), { value: 0.75, samples: 4 })
    assert.deepEqual(await ask(world, { aggregation: 'sum' }), { value: 3, samples: 4 })
  })

  test('the share of an option is of all events of the window', async () => {
    const world = await open()
    await world.write(
      [],
      ['good', 'bad', 'good', 'odd'].map((option, n) => event(n, { value: { kind: 'enum', option } })),
    )
    assert.deepEqual(await ask(world, { aggregation: 'share', option: 'good' }), { value: 0.5, samples: 4 })
    assert.deepEqual(await ask(world, { aggregation: 'share', option: 'none' }), { value: 0, samples: 4 })
  })

  test('traces are measured by their latest versions; one of unknown duration is no sample of durations', async () => {
    const world = await open()
    const times = { ownStartedAt: NOON, ownEndedAt: NOON + 100 }
    await world.write([trace(1, { ...times, status: 'error' }), trace(2, times), trace(3)], [])
    const tokenUsage = { ...NO_TOKENS, input: 7 }
    const latest = { version: 2, ownStartedAt: NOON, ownEndedAt: NOON + 300, tokenUsage }
    await world.write([trace(2, { ...latest, status: 'error' }), trace(1, { ...times, version: 2 })], [])
    const measured = (measure: Parameters<typeof traceSource>[0], aggregation: MeasureQuery['aggregation']) =>
      ask(world, { source: traceSource(measure), aggregation })
    assert.deepEqual(await measured('count', 'count'), { value: 3, samples: 3 })
    assert.deepEqual(await measured('error_rate', 'sum'), { value: 1, samples: 3 })
    assert.deepEqual(await measured('duration_ms', 'avg'), { value: 200, samples: 2 })
    assert.deepEqual(await measured('total_tokens', 'max'), { value: 7, samples: 3 })
  })

  test('costs are those of prices; a sum has rows of unknown cost, other aggregations have not', async () => {
    const world = await open()
    const usageOf = (model: string, input: number) => [
      { model, tokens: { input, output: 0, cacheRead: 0, cacheWrite: 0 } },
    ]
    const again = { tool: 'search', times: 3, gap: 1, cycleAt: null, tokens: 10, usage: usageOf('priced', 10) }
    const calls = { ...NO_CALLS_YET, seen: [{ key: 'k', last: 3, at: [0, 1, 2], repeated: again }] }
    await world.write(
      [
        trace(1, { digest: { ...EMPTY_DIGEST, usage: usageOf('priced', 40), calls } }),
        trace(2, { digest: { ...EMPTY_DIGEST, usage: usageOf('priced', 20) } }),
        trace(3, { digest: { ...EMPTY_DIGEST, usage: usageOf('unknown', 5) } }),
      ],
      [],
    )
    const measured = (measure: MonitorMeasure, aggregation: MeasureQuery['aggregation']) =>
      ask(world, { source: traceSource(measure), aggregation })
    assert.deepEqual(await measured('cost_usd', 'sum'), { value: 30, samples: 3 })
    assert.deepEqual(await measured('cost_usd', 'avg'), { value: 15, samples: 2 })
    assert.deepEqual(await measured('cost_usd', 'max'), { value: 20, samples: 2 })
    assert.deepEqual(await measured('cost_usd', 'p50'), { value: 15, samples: 2 })
    assert.deepEqual(await measured('wasted_cost_usd', 'sum'), { value: 5, samples: 3 })
    // A trace of known cost without findings wasted nothing.
    assert.deepEqual(await measured('wasted_cost_usd', 'avg'), { value: 2.5, samples: 2 })
    const times = { firstAt: NOON, stepMs: MINUTE, count: 2, windowMs: MINUTE }
    const query = queryOf({ source: traceSource('wasted_cost_usd'), aggregation: 'sum' })
    assert.deepEqual(await world.measures.measureOver(PROJECT, query, times), [
      { value: 5, samples: 3 },
      { value: null, samples: 0 },
    ])
  })

  test('deleted traces do not count, nor do their events', async () => {
    const world = await open()
    await world.write(
      [trace(1), trace(2)],
      [1, 2].map((n) => event(n, { traceId: trace(n).id })),
    )
    await world.remove(trace(1))
    for (const source of [metricSource(), traceSource('count')]) {
      assert.deepEqual(await ask(world, { source }), { value: 1, samples: 1 })
    }
  })

  test('rows of other projects and events of other metrics do not count', async () => {
    const world = await open()
    const foreign = trace(2, { projectId: OTHER_PROJECT })
    const events = [
      event(1),
      event(2, { projectId: OTHER_PROJECT, metricId: FOREIGN_METRIC }),
      event(3, { metricId: OTHER_METRIC }),
    ]
    await world.write([trace(1), foreign], events)
    for (const source of [metricSource(), traceSource('count')]) {
      assert.deepEqual(await ask(world, { source }), { value: 1, samples: 1 })
    }
    assert.deepEqual(await ask(world, { source: metricSource(OTHER_METRIC) }), { value: 1, samples: 1 })
    for (const source of [metricSource(FOREIGN_METRIC), traceSource('count')]) {
      const query = { ...queryOf({ source }), ...HOUR_WINDOW }
      assert.deepEqual(await world.measures.measure(OTHER_PROJECT, [query]), [{ value: 1, samples: 1 }])
    }
  })

  test('all filters must hold', async () => {
    const world = await open()
    const metadata = Buffer.from('{"env":"prod"}')
    const base = { name: 'flow', runType: 'eval', models: ['gpt'], sessionId: 's1', userId: 'u1', metadata } as const
    const digest = { ...EMPTY_DIGEST, errorTypes: ['TimeoutError'] }
    const events = [
      event(1, { source: 'human', metadata }, { runType: 'eval', models: ['gpt'] }),
      event(2, { metadata: Buffer.from('{"env":"dev"}') }),
      event(3),
    ]
    await world.write(
      [trace(1, { ...base, status: 'error', digest }), trace(2, { metadata: Buffer.from('{"env":"dev"}') }), trace(3)],
      events,
    )
    const count = async (source: MeasureSource, filters: Partial<MeasureFilters>) =>
      (await ask(world, { source, filters: { ...NO_FILTERS, ...filters } }))?.value
    const [ofEvents, ofTraces] = [metricSource(), traceSource('count')]
    for (const source of [ofEvents, ofTraces]) {
      assert.equal(await count(source, { runType: 'eval' }), 1)
      assert.equal(await count(source, { model: 'gpt' }), 1)
      assert.equal(await count(source, { runType: ['eval', 'none'] }), 1)
      assert.equal(await count(source, { runType: ['eval', 'agent'], notModel: ['gpt', 'none'] }), 2)
      assert.equal(await count(source, { notRunType: 'eval' }), 2)
      assert.equal(await count(source, { metadata: [{ key: 'env', value: null }] }), 2)
      assert.equal(await count(source, { metadata: [{ key: 'env', value: 'prod' }] }), 1)
      assert.equal(await count(source, { runType: 'eval', metadata: [{ key: 'env', value: 'dev' }] }), 0)
    }
    assert.equal(await count(ofEvents, { source: 'human' }), 1)
    assert.equal(await count(ofTraces, { status: 'error' }), 1)
    assert.equal(await count(ofTraces, { name: 'flow', sessionId: 's1', userId: 'u1' }), 1)
    assert.equal(await count(ofTraces, { errorType: 'TimeoutError' }), 1)
    assert.equal(await count(ofTraces, { notErrorType: ['TimeoutError', 'E'] }), 2)
    assert.equal(await count(ofTraces, { notUserId: 'u1', notName: 'none' }), 2)
    assert.equal(await count(ofTraces, { name: 'flow', sessionId: 's2' }), 0)
    await world.write([trace(3, { version: 2, growing: true })], [])
    assert.equal(await count(ofTraces, { growing: false }), 2)
    assert.equal(await count(ofTraces, { growing: true }), 1)
  })

  test('each value of a field is measured by itself; rows without a value do not count', async () => {
    const world = await open()
    const traces = [
      trace(1, { userId: 'u1', status: 'error' }),
      trace(2, { userId: 'u1', models: ['a'] }),
      trace(3, { userId: 'u2', models: ['b'] }),
      trace(4),
    ]
    const events = traces
      .slice(0, 3)
      .map(({ id }, at) =>
        event(at + 1, { value: numeric(at + 1), traceId: id }, { runType: at < 2 ? 'eval' : 'agent' }),
      )
    await world.write(traces, events)
    const groups = async (fields: Partial<MeasureQuery>) => {
      const result = await ask(world, fields)
      assert.equal(result?.value, null)
      return Object.fromEntries((result?.groups ?? []).map(({ group, value, samples }) => [group, [value, samples]]))
    }
    const ofTraces = { source: traceSource('error_rate'), aggregation: 'avg' } as const
    assert.deepEqual(await groups({ ...ofTraces, forEach: 'user_id' }), { u1: [0.5, 2], u2: [0, 1] })
    assert.deepEqual(await groups({ source: traceSource('count'), forEach: 'model' }), { a: [1, 1], b: [1, 1] })
    const filters = { ...NO_FILTERS, userId: 'u2' }
    assert.deepEqual(await groups({ ...ofTraces, filters, forEach: 'user_id' }), { u2: [0, 1] })
    const ofEvents = { source: metricSource(), aggregation: 'max', forEach: 'run_type' } as const
    assert.deepEqual(await groups(ofEvents), { eval: [2, 2], agent: [3, 1] })
    assert.deepEqual(await groups({ ...ofEvents, forEach: 'user_id' }), { u1: [2, 2], u2: [3, 1] })
    assert.deepEqual(await groups({ ...ofEvents, forEach: 'status' }), { ok: [3, 2], error: [1, 1] })
    const times = { firstAt: NOON, stepMs: MINUTE, count: 2, windowMs: MINUTE, mostGroups: 1 }
    const [first, second] = await world.measures.measureOver(PROJECT, queryOf(ofEvents), times)
    assert.deepEqual(first, { value: null, samples: 2, groups: [{ group: 'eval', value: 2, samples: 2 }] })
    assert.deepEqual(second, { value: null, samples: 0, groups: [] })
  })

  test('measured over times, each result equals that of its window', async () => {
    const world = await open()
    const offsets = [-3, -2, 0, 0, 1, 4, 9].map((minutes) => NOON + minutes * MINUTE)
    await world.write(
      offsets.map((at, n) => trace(n, { createdAt: at })),
      offsets.map((at, n) => event(n, { at, value: numeric(n) })),
    )
    const times = { firstAt: NOON - MINUTE, stepMs: 2 * MINUTE, count: 5, windowMs: 3 * MINUTE }
    for (const query of [
      queryOf({ aggregation: 'sum' }),
      queryOf({ aggregation: 'max' }),
      queryOf({ source: traceSource('count') }),
    ]) {
      const windows = Array.from({ length: times.count }, (_, n) => {
        const until = times.firstAt + n * times.stepMs
        return { ...query, from: until - times.windowMs, until }
      })
      assert.deepEqual(
        await world.measures.measureOver(PROJECT, query, times),
        await world.measures.measure(PROJECT, windows),
      )
    }
  })
}

function queryOf(fields: Partial<MeasureQuery>): MeasureQuery {
  return { source: metricSource(), filters: NO_FILTERS, aggregation: 'count', option: null, forEach: null, ...fields }
}

function metricSource(metricId = METRIC): MeasureSource {
  return { kind: 'metric', metricId }
}

function traceSource(measure: MonitorMeasure): MeasureSource {
  return { kind: 'traces', measure }
}

function numeric(number: number): MetricValue {
  return { kind: 'numeric', number }
}

function trace(number: number, fields: Partial<TraceRecord> = {}): TraceRecord {
  const { createdAt = NOON } = fields
  return traceRecord(idAt('tr', createdAt, number), { createdAt, ...fields })
}

function event(
  number: number,
  fields: Partial<MetricEventRecord> = {},
  ofTrace: Partial<NewMetricEvent> = {},
): NewMetricEvent {
  const record = metricEventRecord(idAt('mev', NOON, number), { at: NOON, value: numeric(1), ...fields })
  return newMetricEvent(record, { terms: metadataTerms(record.metadata), ...ofTrace })
}
