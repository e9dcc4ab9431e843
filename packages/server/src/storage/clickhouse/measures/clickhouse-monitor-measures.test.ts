import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { MetricId } from '@spoor/contract/ids'
import { PERCENTILE_NAMES } from '@spoor/contract/aggregations'
import fc from 'fast-check'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type {
  Aggregation,
  MeasureResult,
  MeasureFilters,
  MeasureQuery,
} from '../../../ports/monitors/monitor-measures.ts'
import { wastedOf } from '../../../traces/rules/run-calls.ts'
import { durationOf } from '../../../traces/rules/rollup.ts'
import { idAt, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import { assertNear, plainPasses, plainQuantile, plainSum } from '../series/aggregate-reference.test-support.ts'
import { aggregateWorld, type PointRow } from '../series/aggregate-world.test-support.ts'
import { ClickHouseMonitorMeasures } from './clickhouse-monitor-measures.ts'
import { times } from '../../../lib/times.test-support.ts'

const world = await aggregateWorld()
const INTERVAL_MS = 1000
/** Without kept windows of the test before. */
let measures: ClickHouseMonitorMeasures
beforeEach(() => {
  measures = new ClickHouseMonitorMeasures(world.dependencies, INTERVAL_MS)
})
afterEach(() => world.clear())

const BEGIN = Date.UTC(2026, 1, 27, 22)
const METRICS: readonly MetricId[] = [idAt('met', 1), idAt('met', 2)]
const NO_FILTERS: MeasureFilters = {
  ...toTraceFilters('monitors', {}),
  metadata: [],
  source: null,
}

interface Row {
  readonly at: number
  readonly event: PointRow | null
  readonly trace: TraceRecord | null
}

const OFFSETS = { min: 0, max: 100_000 }
const events = fc.record({
  metricId: fc.constantFrom(...METRICS),
  at: fc.integer(OFFSETS).map((ms) => BEGIN + ms),
  value: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.double({ min: -1e6, max: 1e6, noNaN: true })).map((n) => n + 0),
  option: fc.constantFrom('good', "b'ad"),
  source: fc.constantFrom('' as const, 'human' as const),
  runType: fc.constantFrom('agent', 'eval'),
  models: fc.uniqueArray(fc.constantFrom('gpt', 'o3')),
  metadata: fc.dictionary(fc.constant('env'), fc.constantFrom('prod', 'dev')),
  traceId: fc.constant(idAt('tr', 1)),
})

const traces = fc.record({
  at: fc.integer(OFFSETS).map((ms) => BEGIN + ms),
  runType: fc.constantFrom('agent', 'eval'),
  name: fc.constantFrom('flow', "it's"),
  status: fc.constantFrom('ok' as const, 'error' as const),
  durationMs: fc.option(fc.integer({ min: 0, max: 1e6 })),
  tokens: fc.integer({ min: 0, max: 1e6 }),
  deleted: fc.constantFrom(false, false, true),
})
const NUMERIC: readonly Aggregation[] = ['avg', 'sum', 'count', 'min', 'max', ...PERCENTILE_NAMES, 'pass_rate']
const filters = fc
  .record({
    runType: fc.constantFrom(null, null, 'agent', ['agent', 'eval']),
    notRunType: fc.constantFrom(null, null, 'eval'),
    model: fc.constantFrom(null, null, 'gpt', ['gpt', "it's"]),
    notModel: fc.constantFrom(null, null, 'gpt', ['gpt', 'none']),
    metadata: fc.constantFrom<MeasureFilters['metadata']>([], [], [{ key: 'env', value: 'prod' }]),
    source: fc.constantFrom(null, null, 'human' as const),
    status: fc.constantFrom(null, null, 'error' as const),
    name: fc.constantFrom(null, null, 'flow', ['flow', 'none']),
    notName: fc.constantFrom(null, null, 'flow', ["it's", 'none']),
  })
  .map((some) => Object.assign(some, { ...NO_FILTERS, ...some }))

const questions: fc.Arbitrary<MeasureQuery> = fc.oneof(
  fc.record({
    source: fc.constantFrom(...METRICS).map((metricId) => ({ kind: 'metric' as const, metricId })),
    // The events have no traces.
    filters: filters.map((some) => Object.assign(some, { status: null, name: null, notName: null })),
    aggregation: fc.constantFrom<Aggregation>(...NUMERIC, 'share'),
    option: fc.constantFrom('good', "b'ad"),
    forEach: fc.constant(null),
  }),
  fc.record({
    source: fc
      .constantFrom('count' as const, 'error_rate' as const, 'duration_ms' as const, 'total_tokens' as const)
      .map((measure) => ({ kind: 'traces' as const, measure })),
    filters,
    aggregation: fc.constantFrom(...NUMERIC),
    option: fc.constant(null),
    forEach: fc.constant(null),
  }),
)

function plainNumber({ source }: MeasureQuery, { event, trace }: Row): number | null {
  if (source.kind === 'metric') return event?.metricId === source.metricId ? event.value : null
  if (trace === null || trace.deleted) return null
  switch (source.measure) {
    case 'count':
      return 1
    case 'error_rate':
      return trace.status === 'error' ? 1 : 0
    case 'recovered_errors':
      return trace.status === 'ok' ? trace.failedSteps : 0
    case 'duration_ms':
      return durationOf(trace)
    case 'time_to_first_token_ms':
      throw new TypeError('only steps have it')
    case 'total_tokens':
      return trace.tokenUsage.input
    case 'wasted_tokens':
      return wastedOf(trace.digest.calls).tokens
    case 'cost_usd':
    case 'wasted_cost_usd':
      throw new TypeError('they have a test of their own')
  }
}

function passes({ filters: by }: MeasureQuery, { event, trace }: Row): boolean {
  const { runType, models } = (event ?? trace) as PointRow | TraceRecord
  if (!plainPasses(by.runType, by.notRunType, [runType]) || !plainPasses(by.model, by.notModel, models)) return false
  if (event !== null) {
    if (by.source !== null && event.source !== by.source) return false
    return by.metadata.every(({ key, value }) => event.metadata[key] === value)
  }
  return (
    (by.status === null || trace?.status === by.status) &&
    plainPasses(by.name, by.notName, [trace?.name]) &&
    by.metadata.length === 0
  )
}

function plainAnswer(question: MeasureQuery, rows: readonly Row[], from: number, until: number): MeasureResult {
  const inWindow = rows.filter((row) => row.at > from && row.at <= until && passes(question, row))
  const counted = inWindow.filter((row) => plainNumber(question, row) !== null)
  const numbers = counted.map((row) => plainNumber(question, row) as number)
  const samples = numbers.length
  if (question.aggregation === 'count') return { value: samples, samples }
  if (samples === 0) return { value: null, samples }
  switch (question.aggregation) {
    case 'avg':
      return { value: plainSum(numbers) / samples, samples }
    case 'sum':
      return { value: plainSum(numbers), samples }
    case 'min':
      return { value: Math.min(...numbers), samples }
    case 'max':
      return { value: Math.max(...numbers), samples }
    case 'pass_rate':
      return { value: numbers.filter((number) => number === 1).length / samples, samples }
    case 'share':
      return { value: counted.filter(({ event }) => event?.option === question.option).length / samples, samples }
    default:
      return { value: plainQuantile(numbers, Number(question.aggregation.slice(1)) / 100), samples }
  }
}

type FieldsOf<A> = A extends fc.Arbitrary<infer Fields> ? Fields : never

function toRecord(
  n: number,
  { at, durationMs, tokens, ...fields }: FieldsOf<typeof traces> & { readonly version: number },
): TraceRecord {
  return traceRecord(idAt('tr', at, n), {
    ...fields,
    createdAt: at,
    ownStartedAt: durationMs === null ? null : 0,
    ownEndedAt: durationMs,
    tokenUsage: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  })
}

/** Each trace has an older version with other values. */
async function fill(
  someEvents: readonly FieldsOf<typeof events>[],
  someTraces: readonly FieldsOf<typeof traces>[],
): Promise<readonly Row[]> {
  await world.clear()
  measures = new ClickHouseMonitorMeasures(world.dependencies, INTERVAL_MS)
  const points = someEvents.map((event, n): PointRow => ({ ...event, id: idAt('mev', event.at, n) }))
  const records = someTraces.map((fields, n) => toRecord(n, { ...fields, version: 2 }))
  await world.addPoints(points)
  if (records.length > 0) {
    await world.addTraces(records)
    await world.addTraces(
      records.map((record) =>
        traceRecord(record.id, { createdAt: record.createdAt, status: 'error', runType: 'agent' }),
      ),
    )
  }
  return [
    ...points.map((event) => ({ at: event.at, event, trace: null })),
    ...records.map((trace) => ({ at: trace.createdAt, event: null, trace })),
  ]
}

const someEvents = fc.array(events, { maxLength: 40 })
const someTraces = fc.array(traces, { maxLength: 20 })

test('every answer equals a plain computation over the same window, however many are queried together', async () => {
  const windows = fc.record({
    until: fc.constantFrom(100_000, 100_000, 60_000, 31).map((ms) => BEGIN + ms),
    lengthMs: fc.constantFrom(1, 5000, 20_000, 100_001),
  })
  await fc.assert(
    fc.asyncProperty(
      someEvents,
      someTraces,
      fc.array(fc.tuple(questions, windows), { minLength: 1, maxLength: 80 }),
      async (ofEvents, ofTraces, asked) => {
        const rows = await fill(ofEvents, ofTraces)
        const all = asked.map(([question, { until, lengthMs }]) => ({ ...question, from: until - lengthMs, until }))
        const answers = await measures.measure(PROJECT, all)
        assertNear(
          answers,
          all.map((question) => plainAnswer(question, rows, question.from, question.until)),
        )
      },
    ),
    { numRuns: times(10) },
  )
})

/** What happens between two measurements of the same monitors. */
const steps = fc.record({
  /** Mostly the next time; the clock may also jump. */
  passes: fc.constantFrom(1, 1, 1, 1, 2, 30, -1),
  /** A trace is added, or gets a new version, or is deleted. */
  changes: fc.array(
    fc.record({
      trace: fc.nat(11),
      version: traces,
      /** Its creation, before the time of the measurement. */
      ageMs: fc.oneof(fc.nat(1500), fc.nat(60_000)),
    }),
    { maxLength: 4 },
  ),
})

test('windows that are measured again and again follow all new, late, changed and deleted traces', async () => {
  const ofTraces = questions.filter(({ source }) => source.kind === 'traces')
  const monitors = fc.array(fc.tuple(ofTraces, fc.constantFrom(3000, 16_000, 16_000, 50_000, 12_500)), {
    minLength: 1,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(monitors, fc.array(steps, { minLength: 2, maxLength: 25 }), async (asked, all) => {
      await fill([], [])
      const rows = new Map<number, Row>()
      let until = BEGIN + 100_000
      let version = 1
      for (const { passes: intervals, changes } of all) {
        until += intervals * INTERVAL_MS
        const records = changes.map(({ trace: n, version: { at: _at, deleted, ...fields }, ageMs }) => {
          const createdAt = rows.get(n)?.at ?? until - ageMs
          version += 1
          const trace = toRecord(n, { ...fields, at: createdAt, deleted, version })
          rows.set(n, { at: createdAt, event: null, trace })
          return trace
        })
        for (const record of records) {
          await world.addTraces([record])
          measures.note({ traces: [record] })
        }
        const windows = asked.map(([question, lengthMs]) => ({ ...question, from: until - lengthMs, until }))
        assertNear(
          await measures.measure(PROJECT, windows),
          windows.map((window) => plainAnswer(window, [...rows.values()], window.from, window.until)),
        )
      }
    }),
    { numRuns: times(8) },
  )
})

test('one query over many times gives the same answers as one query at each time', async () => {
  const moments = fc.record({
    firstAt: fc.integer({ min: -5000, max: 90_000 }).map((ms) => BEGIN + ms),
    stepMs: fc.constantFrom(1, 7, 1000, 15_000),
    count: fc.integer({ min: 1, max: 40 }),
    windowMs: fc.constantFrom(1, 500, 1000, 14_999, 60_000),
  })
  await fc.assert(
    fc.asyncProperty(someEvents, someTraces, questions, moments, async (ofEvents, ofTraces, question, asked) => {
      const rows = await fill(ofEvents, ofTraces)
      const answers = await measures.measureOver(PROJECT, question, asked)
      const expected = Array.from({ length: asked.count }, (_, n) => {
        const until = asked.firstAt + n * asked.stepMs
        return plainAnswer(question, rows, until - asked.windowMs, until)
      })
      assertNear(answers, expected)
    }),
    { numRuns: times(15) },
  )
})

test('events of deleted traces do not count', async () => {
  const fields = {
    metricId: METRICS[0]!,
    at: BEGIN,
    value: 1,
    option: '',
    source: '' as const,
    runType: 'agent',
    models: [],
    metadata: {},
  }
  await world.addPoints([
    { ...fields, id: idAt('mev', BEGIN, 1), traceId: idAt('tr', BEGIN, 1) },
    { ...fields, id: idAt('mev', BEGIN, 2), traceId: idAt('tr', BEGIN, 2) },
  ])
  world.pending.push({ projectId: PROJECT, traceId: idAt('tr', BEGIN, 1) })
  const question: MeasureQuery = {
    source: { kind: 'metric', metricId: METRICS[0]! },
    filters: NO_FILTERS,
    aggregation: 'count',
    option: null,
    forEach: null,
  }
  const window = { ...question, from: BEGIN - 1, until: BEGIN }
  assert.deepEqual(await measures.measure(PROJECT, [window]), [{ value: 1, samples: 1 }])
  const asked = { firstAt: BEGIN, stepMs: 1, count: 2, windowMs: 1 }
  assert.deepEqual(await measures.measureOver(PROJECT, question, asked), [
    { value: 1, samples: 1 },
    { value: 0, samples: 0 },
  ])
  assert.deepEqual(world.waits, ['settled', 'settled'])
})

test('percentiles over windows of very many different numbers are close to the exact ones', async () => {
  const fields = {
    metricId: METRICS[0]!,
    option: '',
    source: '' as const,
    runType: 'agent',
    models: [],
    metadata: {},
    traceId: idAt('tr', 1),
  }
  const points = Array.from({ length: 260_000 }, (_, n) => ({
    ...fields,
    id: idAt('mev', BEGIN, n),
    at: BEGIN + n,
    value: ((n * 7919) % 260_003) + 0.5,
  }))
  await world.addPoints(points)
  const question: MeasureQuery = {
    source: { kind: 'metric', metricId: METRICS[0]! },
    filters: NO_FILTERS,
    aggregation: 'p95',
    option: null,
    forEach: null,
  }
  const asked = { firstAt: BEGIN + 100_000, stepMs: 50_000, count: 4, windowMs: 100_000 }
  const answers = await measures.measureOver(PROJECT, question, asked)
  for (const [n, { value, samples }] of answers.entries()) {
    const until = asked.firstAt + n * asked.stepMs
    const inWindow = points.filter(({ at }) => at > until - asked.windowMs && at <= until).map((point) => point.value)
    assert.equal(samples, inWindow.length)
    const exact = plainQuantile(inWindow, 0.95)
    assert.ok(Math.abs((value as number) / exact - 1) < 0.001, `${value} is not close to ${exact}`)
  }
})
