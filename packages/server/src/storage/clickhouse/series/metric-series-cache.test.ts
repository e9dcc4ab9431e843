import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricId, TraceId } from '@spoor/contract/ids'
import fc from 'fast-check'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { toBucketedSpan } from '../../../lib/time/time-buckets.ts'
import type { MetricGroupBy, MetricSeriesQuery } from '../../../ports/metrics/metric-series.ts'
import { idAt, PROJECT } from '../../../traces/trace-builders.test-support.ts'
import { aggregateWorld, disturbed, type PointRow } from './aggregate-world.test-support.ts'
import { ClickHouseMetricSeries } from './clickhouse-metric-series.ts'
import { SeriesCache } from './series-cache.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { times } from '../../../lib/times.test-support.ts'

const BEGIN = Date.UTC(2026, 1, 27, 22)
const MINUTE = 60_000
const METRIC: MetricId = idAt('met', 1)
const world = await aggregateWorld()

/**
 * Events on their way into the engine, as in the service: readable at once, and in the engine after a query has waited
 * for them.
 */
class Events {
  readonly #cache: SeriesCache
  #unsettled: PointRow[] = []
  #settled: PointRow[] = []
  #made = 0

  constructor(cache: SeriesCache) {
    this.#cache = cache
  }

  publish(events: readonly EventFields[]): void {
    for (const { traceNumber, ...fields } of events) {
      const [id, traceId] = [idAt('mev', BEGIN, ++this.#made), traceOf(traceNumber)]
      const rest = { option: '', source: '' as const, runType: 'agent', models: [] }
      this.#unsettled.push({ metricId: METRIC, id, traceId, ...rest, ...fields, metadata: { task: fields.task } })
      this.#cache.note({ traces: [], metricEvents: [{ record: { metricId: METRIC, at: fields.at } }] })
    }
  }

  async settle(): Promise<void> {
    const points = this.#unsettled
    this.#unsettled = []
    this.#settled.push(...points)
    await world.addPoints(points)
  }

  /** Deletes a trace; its events wait to be purged from then on. */
  deleteTrace(traceNumber: number): void {
    world.pending.push({ projectId: PROJECT, traceId: traceOf(traceNumber) })
    this.#cache.note({ traces: [{ projectId: PROJECT, createdAt: BEGIN, deleted: true }], metricEvents: [] })
  }

  async purge(): Promise<void> {
    await this.settle()
    const purged = new Set(world.pending.map(({ traceId }) => traceId))
    this.#settled = this.#settled.filter(({ traceId }) => !purged.has(traceId))
    await world.clear()
    await world.addPoints(this.#settled)
  }
}

interface EventFields {
  readonly at: number
  readonly traceNumber: number
  readonly value: number
  readonly task: number
}

function traceOf(traceNumber: number): TraceId {
  return idAt('tr', traceNumber)
}

const GROUPINGS: readonly (MetricGroupBy | null)[] = [null, { by: 'metadata', key: 'task' }]

function query({
  later = 0,
  length = 30 * MINUTE,
  bucket = '1m',
  grouped = false,
  kind = 'numeric' as MetricSeriesQuery['kind'],
} = {}): MetricSeriesQuery {
  const startTime = BEGIN + later
  const { span, buckets } = toBucketedSpan({ startTime, endTime: startTime + length, bucket }, 0)
  const filters = { ...toTraceFilters('events', {}), source: null, metadata: [] }
  const groupBy = GROUPINGS[Number(grouped)] ?? null
  return { projectId: PROJECT, metricId: METRIC, kind, options: [], span, buckets, filters, groupBy }
}

const eventFields = fc.record({
  at: fc.integer({ min: BEGIN - MINUTE, max: BEGIN + 31 * MINUTE }),
  traceNumber: fc.integer({ min: 1, max: 5 }),
  value: fc.constantFrom(0, 1, 2.5, Number.MAX_VALUE),
  task: fc.integer({ min: 1, max: 3 }),
})
const someEvents = fc.array(eventFields, { minLength: 1, maxLength: 6 })
const reads = fc
  .record({
    later: fc.constantFrom(0, 0, MINUTE, 15_000),
    length: fc.constantFrom(30 * MINUTE, 30 * MINUTE, 20 * MINUTE + 1),
    bucket: fc.constantFrom('1m', '1m', '7m', '90s'),
    grouped: fc.boolean(),
    kind: fc.constantFrom('numeric' as const, 'numeric' as const, 'boolean' as const),
  })
  .map((fields) => query(fields))
const steps = fc.oneof(
  { weight: 3, arbitrary: fc.record({ step: fc.constant('publish' as const), events: someEvents }) },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant('read' as const),
      query: reads,
      /** Published while the engine is queried, and whether they settle at once. */
      meanwhile: fc.array(fc.record({ events: someEvents, settled: fc.boolean() }), { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ step: fc.constant('delete' as const), trace: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant('purge' as const) }) },
)

test('a repeated query returns what an uncached one would, whatever is committed, deleted and purged before and during it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 3, maxLength: 14 }), async (history) => {
      await world.clear()
      const cache = new SeriesCache(400)
      const events = new Events(cache)
      let meanwhile: { readonly events: readonly EventFields[]; readonly settled: boolean }[] = []
      const beside = async () => {
        const next = meanwhile.shift()
        if (next === undefined) return
        events.publish(next.events)
        if (next.settled) await events.settle()
      }
      const settled = () => events.settle()
      const dependencies = { ...world.dependencies, settled }
      const again = new ClickHouseMetricSeries({ ...dependencies, engine: disturbed(world.engine, beside) }, cache)
      const gone = new Set<number>()
      for (const action of history) {
        if (action.step === 'publish') events.publish(action.events.filter(({ traceNumber }) => !gone.has(traceNumber)))
        else if (action.step === 'purge') await events.purge()
        else if (action.step === 'delete') {
          gone.add(action.trace)
          events.deleteTrace(action.trace)
        } else {
          meanwhile = action.meanwhile.map(({ events: among, ...rest }) => ({
            ...rest,
            events: among.filter(({ traceNumber }) => !gone.has(traceNumber)),
          }))
          await again.metricSeries(action.query)
          meanwhile = []
          const first = await new ClickHouseMetricSeries(dependencies, new SeriesCache()).metricSeries(action.query)
          assert.deepEqual(await again.metricSeries(action.query), first)
        }
      }
    }),
    { numRuns: times(8) },
  )
})

test('a repeated query reads only what changed from the engine', async () => {
  await world.clear()
  const cache = new SeriesCache()
  const events = new Events(cache)
  const statements: string[] = []
  const engine: TelemetryEngine = {
    ...disturbed(world.engine, () => Promise.resolve()),
    select: (sql) => {
      statements.push(sql)
      return world.engine.select(sql)
    },
  }
  const series = new ClickHouseMetricSeries({ ...world.dependencies, settled: () => events.settle(), engine }, cache)
  const readSeries = async (which: Parameters<typeof query>[0]) => {
    statements.length = 0
    const { points } = await series.metricSeries(query(which))
    return { count: points.reduce((sum, { count }) => sum + count, 0), queries: statements.length }
  }
  const fields = { traceNumber: 1, value: 1, task: 1 }
  events.publish(Array.from({ length: 30 }, (_, minute) => ({ ...fields, at: BEGIN + minute * MINUTE })))
  assert.deepEqual(await readSeries({}), { count: 30, queries: 1 })
  assert.deepEqual(await readSeries({}), { count: 30, queries: 0 })
  assert.deepEqual(
    await readSeries({ later: MINUTE }),
    { count: 29, queries: 1 },
    'the minute that came into the window',
  )
  assert.deepEqual(await readSeries({ later: MINUTE }), { count: 29, queries: 0 })
  events.publish([{ ...fields, at: BEGIN + 5 * MINUTE }])
  assert.deepEqual(await readSeries({}), { count: 31, queries: 1 })
  const minute = BEGIN / MINUTE + 5
  assert.match(statements.join(), new RegExp(`minute >= ${minute} AND minute < ${minute + 1}\\b`))
  assert.deepEqual(await readSeries({ grouped: true }), { count: 31, queries: 2 })
  assert.deepEqual(await readSeries({ grouped: true }), { count: 31, queries: 0 })
  events.publish([{ ...fields, at: BEGIN, traceNumber: 2 }])
  assert.equal((await readSeries({})).count, 32)
  events.deleteTrace(2)
  assert.equal((await readSeries({})).count, 31)
  events.deleteTrace(1)
  await events.purge()
  assert.deepEqual(await readSeries({}), { count: 0, queries: 1 })
})

test('a series with too many groups is not cached, because finding the largest needs all rows', async () => {
  await world.clear()
  const cache = new SeriesCache()
  const events = new Events(cache)
  const series = new ClickHouseMetricSeries({ ...world.dependencies, settled: () => events.settle() }, cache)
  const groups = async () => {
    const { points, groupsLeftOut } = await series.metricSeries(query({ grouped: true }))
    return [new Set(points.filter(({ other }) => other !== true).map(({ group }) => group)).size, groupsLeftOut]
  }
  const event = (task: number) => ({ at: BEGIN + (task % 30) * MINUTE, traceNumber: 1, value: 1, task })
  events.publish(Array.from({ length: 100 }, (_, task) => event(task)))
  assert.deepEqual(await groups(), [100, 0])
  events.publish([event(100), event(131), event(162)])
  assert.deepEqual(await groups(), [100, 3])
  assert.deepEqual(await groups(), [100, 3])
  assert.equal(cache.numbers, 0)
})
