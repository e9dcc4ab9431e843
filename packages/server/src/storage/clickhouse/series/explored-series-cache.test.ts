import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoredByMetric } from '../../../ports/metrics/scored-by.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { SeriesGroup } from '../../../ports/traces/explored-series.ts'
import type { NewMetricEvent, NewStep } from '../../../ports/traces/trace-store.ts'
import fc from 'fast-check'
import { toBucketedSpan } from '../../../lib/time/time-buckets.ts'
import { METRIC, metricEventRecord, newMetricEvent } from '../../../traces/commit/metric-event-builders.test-support.ts'
import { EMPTY_DIGEST } from '../../../traces/rules/trace-digest.ts'
import { idAt, newStep, preparedStep, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { aggregateWorld, disturbed } from './aggregate-world.test-support.ts'
import { ClickHouseExploredSeries } from './clickhouse-explored-series.ts'
import { type AskedQuery, exploredQuery, ratesOf } from './explored-query.test-support.ts'
import { SeriesCache } from './series-cache.ts'
import { times } from '../../../lib/times.test-support.ts'

// The clocks of Los Angeles change in the second of these days.
const BEGIN = Date.UTC(2025, 9, 31, 22)
const ZONE = 'America/Los_Angeles'
const HOUR = 3_600_000
const MODELS = ['gpt', 'other', 'none'] as const
const world = await aggregateWorld()

interface Change {
  readonly kind: 'create' | 'write' | 'delete' | 'event'
  /** Which trace, for all but `create`. */
  readonly number: number
  readonly hour: number
  readonly model: (typeof MODELS)[number]
  readonly failed: boolean
  readonly amount: number
  readonly word: string
}

interface Commit {
  readonly traces: TraceRecord[]
  readonly steps: NewStep[]
  readonly metricEvents: NewMetricEvent[]
}

/** Commits on their way into the engine, as in the service: readable at once, and settled when a query waits for it. */
class Commits {
  readonly #cache: SeriesCache
  #traces: TraceRecord[] = []
  #unsettled: Commit[] = []
  #made = 0

  constructor(cache: SeriesCache) {
    this.#cache = cache
  }

  commit({ number, kind, hour, model, failed, amount, word }: Change): void {
    const before = kind === 'create' ? undefined : this.#traces[number % this.#traces.length]
    const version = ++this.#made
    const createdAt = before?.createdAt ?? Math.round(BEGIN + hour * HOUR)
    const id = before?.id ?? idAt('tr', createdAt, version)
    const commit: Commit = { traces: [], steps: [], metricEvents: [] }
    if (before === undefined && kind !== 'create') return
    if (kind === 'event') {
      const record = metricEventRecord(idAt('mev', createdAt, version), { traceId: id, at: createdAt })
      commit.metricEvents.push(newMetricEvent(record))
    } else {
      const tokens = { input: amount, output: amount, cacheRead: 0, cacheWrite: 0 }
      const trace = traceRecord(id, {
        createdAt,
        version,
        deleted: kind === 'delete',
        name: `flow ${model}`,
        status: failed ? 'error' : 'ok',
        failedSteps: Number(failed),
        ownStartedAt: 0,
        ownEndedAt: amount,
        models: model === 'none' ? [] : [model],
        metadata: Buffer.from(JSON.stringify({ env: word })),
        stepCount: (before?.stepCount ?? 0) + 1,
        tokenUsage: { ...tokens, reasoning: 0 },
        digest: { ...EMPTY_DIGEST, usage: model === 'none' ? [] : [{ model, tokens }] },
      })
      commit.traces.push(trace)
      commit.steps.push(newStep(trace, trace.stepCount - 1, { prepared: preparedStep({ texts: [word] }) }))
      const at = before === undefined ? this.#traces.length : this.#traces.indexOf(before)
      this.#traces.splice(at, 1, ...(trace.deleted ? [] : [trace]))
    }
    this.#unsettled.push(commit)
    this.#cache.note(commit)
  }

  async settle(): Promise<void> {
    const commits = this.#unsettled
    this.#unsettled = []
    const traces = commits.flatMap((of) => of.traces)
    const events = commits.flatMap((of) => of.metricEvents)
    const steps = commits.flatMap((of) => of.steps)
    if (traces.length > 0) await world.addTraces(traces, steps)
    if (events.length > 0) await world.addMetricEvents(events)
  }
}

const allOf = (dollars: number) =>
  ratesOf(Object.fromEntries(MODELS.map((model) => [model, { input: dollars, output: dollars }])))
const [cheap, dear] = [await allOf(1000), await allOf(5000)]

function query({
  from = 0,
  hours = 72,
  bucket = '1h',
  zone = null as string | null,
  ...fields
}: Partial<AskedQuery> & {
  readonly from?: number
  readonly hours?: number
  readonly bucket?: string
  readonly zone?: string | null
} = {}) {
  const startTime = BEGIN + from * HOUR
  const bucketed = toBucketedSpan({ startTime, endTime: Math.round(startTime + hours * HOUR), bucket, zone }, 0)
  return exploredQuery({ ...bucketed, rates: fields.measure === 'cost_usd' ? cheap : null, ...fields })
}

const change = fc.record<Change>({
  kind: fc.constantFrom('create', 'create', 'create', 'write', 'delete', 'event'),
  number: fc.nat(100),
  hour: fc.constantFrom(-0.5, 0.2, 0.9, 1.1, 3, 7.9, 12, 20, 34.5, 35.5, 42, 44.1, 44.5, 46.9, 47.1, 48.2),
  model: fc.constantFrom(...MODELS),
  failed: fc.boolean(),
  amount: fc.integer({ min: 0, max: 1000 }),
  word: fc.constantFrom('alpha', 'beta'),
})
const MEASURED = ['count', 'error_rate', 'recovered_errors', 'duration_ms', 'total_tokens', 'cost_usd'] as const
const shape = fc.record({
  measures: fc.tuple(fc.constantFrom(...MEASURED), fc.constantFrom(...MEASURED)),
  groupBy: fc.constantFrom<SeriesGroup | null>(
    null,
    { by: 'status' },
    { by: 'model' },
    { by: 'name' },
    { by: 'metadata', key: 'env' },
  ),
  buckets: fc.constantFrom({ bucket: '6h' }, { bucket: '90m' }, { bucket: '1d', zone: ZONE }, { bucket: 'all' }),
})
const visit = fc.record({
  changes: fc.array(change, { maxLength: 5 }),
  measure: fc.constantFrom(0, 0, 0, 1),
  span: fc.constantFrom({}, { from: 1, hours: 47 }, { hours: 44.3 }),
  during: fc.array(change, { maxLength: 3 }),
})
const NARROWED: readonly (readonly Parameters<typeof query>[0][])[] = [
  [{}],
  [{ words: ['alpha'] }],
  [{ filters: { status: 'error' } }, { filters: { metadata: [{ key: 'env', value: 'beta' }] } }],
  [{ withoutMetric: METRIC }],
  [{ scored: scoredByMetric(METRIC) }],
  [
    { rates: cheap, filters: { minCostUsd: 1 } },
    { rates: dear, filters: { minCostUsd: 1 } },
  ],
]

test('a repeated query returns what an uncached one would, whatever is committed before and during it', async () => {
  const histories = fc.array(visit, { minLength: 6, maxLength: 10 })
  for (const [index, narrowed] of NARROWED.entries())
    await fc.assert(
      fc.asyncProperty(shape, histories, async ({ measures, groupBy, buckets }, history) => {
        await world.clear()
        const cache = new SeriesCache(2000)
        const commits = new Commits(cache)
        const dependencies = { ...world.dependencies, settled: () => commits.settle() }
        let during: readonly Change[] = []
        const beside = async () => {
          const [next, ...rest] = during
          during = rest
          if (next === undefined) return
          commits.commit(next)
          if (next.failed) await commits.settle()
        }
        const again = new ClickHouseExploredSeries({ ...dependencies, engine: disturbed(world.engine, beside) }, cache)
        const uncached = new ClickHouseExploredSeries(dependencies, new SeriesCache(0))
        for (const [at, { changes, measure, span, ...rest }] of history.entries()) {
          for (const each of changes) commits.commit(each)
          const more = narrowed[at % narrowed.length]
          const grouped = { groupBy: groupBy === null ? [] : [groupBy] }
          const asked = query({ hours: 48, measure: measures[measure]!, ...grouped, ...buckets, ...span, ...more })
          during = rest.during
          await again.exploredSeries(asked)
          during = []
          assert.deepEqual(await again.exploredSeries(asked), await uncached.exploredSeries(asked))
        }
      }),
      { numRuns: times(1), seed: 2 + index },
    )
})

test('a repeated query reads only what changed from the engine', async () => {
  await world.clear()
  const cache = new SeriesCache()
  const commits = new Commits(cache)
  const statements: string[] = []
  const select = (sql: string) => {
    statements.push(sql)
    return world.engine.select(sql)
  }
  const engine = { ...world.engine, select }
  const series = new ClickHouseExploredSeries({ ...world.dependencies, settled: () => commits.settle(), engine }, cache)
  const read = async (fields: Parameters<typeof query>[0] = {}) => {
    statements.length = 0
    const { points } = await series.exploredSeries(query(fields))
    return [points.reduce((sum, { now }) => sum + now.count, 0), statements.length]
  }
  const write = (number: number, fields: Partial<Change> = {}) =>
    commits.commit({
      number,
      kind: 'write',
      hour: 0,
      model: 'gpt',
      failed: false,
      amount: 1,
      word: 'alpha',
      ...fields,
    })
  for (let hour = 0; hour < 72; hour++) write(hour, { kind: 'create', hour })
  const costs = { measure: 'cost_usd', groupBy: [{ by: 'model' }] } as const
  for (const fields of [
    {},
    { groupBy: costs.groupBy },
    costs,
    { words: ['alpha'] },
    { bucket: '1d', zone: ZONE, hours: 57 },
  ]) {
    const [count, first] = await read(fields)
    assert.ok(count! > 50 && first! > 0, `${count}, ${first} statements`)
    assert.deepEqual((await read(fields))[0], count)
    assert.ok(statements.length <= Number('zone' in fields), 'days that the span cuts through')
  }
  assert.deepEqual(await read({ from: 1 }), [71, 1], 'the hour that came into the span')
  for (const span of [
    { from: 0, hours: 45 },
    { from: 1, hours: 45 },
    { from: 0, hours: 46 },
  ])
    assert.equal(
      (await read({ bucket: '6h', ...span }))[0],
      span.hours,
      'buckets that a span cuts through are not cached',
    )
  write(5, { failed: true })
  assert.deepEqual(await read({ filters: { status: 'error' } }), [1, 1])
  assert.deepEqual(await read(), [72, 1])
  assert.match(
    statements.join(),
    new RegExp(`created_at >= \\w+\\(${BEGIN + 5 * HOUR}, 'UTC'\\) AND created_at < \\w+\\(${BEGIN + 6 * HOUR}, `),
  )
  assert.deepEqual(await read(costs), [72, 2])
  write(5, { kind: 'delete' })
  assert.deepEqual(await read(), [71, 1])
  write(7, { kind: 'event' })
  assert.deepEqual(await read(), [71, 0])
  assert.deepEqual(await read({ filters: { status: 'error' } }), [0, 1])
  for (let n = 0; n <= 100; n++) write(0, { kind: 'create', word: `w${n}` })
  await read()
  const kept = cache.numbers
  const ofMany = { groupBy: [{ by: 'metadata' as const, key: 'env' }] }
  assert.equal((await read(ofMany))[0], 71 + 101)
  assert.equal(cache.numbers, kept, 'more groups than a result shows take no space')
  // What depends on more than the traces of a bucket is read each time, and so is a bucket whose length is the span's.
  for (const fields of [
    { withoutMetric: METRIC },
    { measure: 'duration_ms' as const },
    { among: [idAt('tr', BEGIN)] },
    { bucket: 'all' },
  ]) {
    const [count, first] = await read(fields)
    assert.deepEqual(await read(fields), [count, first])
    assert.ok(first! > 0)
  }
  const bounded = { rates: cheap, filters: { minCostUsd: 0 } }
  assert.ok((await read(bounded))[1]! > 0)
  assert.deepEqual(await read(bounded), [71 + 101, 0])
  assert.ok((await read({ ...bounded, rates: dear }))[1]! > 0, 'other prices')
})

test('spans that need more memory than a read has are read one by one, and in halves', async () => {
  await world.clear()
  const cache = new SeriesCache()
  const commits = new Commits(cache)
  let failing = 0
  const select = async (sql: string) => {
    if (failing-- > 0) throw Object.assign(new Error('memory'), { clickhouseCode: 241 })
    return await world.engine.select(sql)
  }
  const dependencies = { ...world.dependencies, settled: () => commits.settle() }
  const series = new ClickHouseExploredSeries({ ...dependencies, engine: { ...world.engine, select } }, cache)
  const uncached = new ClickHouseExploredSeries(dependencies, new SeriesCache(0))
  const write = (hour: number) =>
    commits.commit({ number: 0, kind: 'create', hour, model: 'gpt', failed: false, amount: 1, word: 'beta' })
  for (const hour of [3, 3.5, 9, 20]) write(hour)
  await series.exploredSeries(query())
  for (const hour of [3.25, 4, 9.5, 40, 41]) write(hour)
  failing = 2
  assert.deepEqual(await series.exploredSeries(query()), await uncached.exploredSeries(query()))
  assert.ok(failing < 0)
})
