import { toTraceFilters } from '@spoor/contract/trace-filters'
/**
 * Aggregates over two million metric events of a day and a million traces: a minute-by-minute day for each kind of
 * metric, and the measures of 1,000 monitors.
 *
 *     node bench/series.bench.ts [--quick] [--store DIRECTORY]
 *
 * The store is built once under DIRECTORY (lib/archives/series-archive.ts): 1 GB, about a minute. Series are measured
 * as use cases including the JSON text of their results, alternating with a plain sum over the same rows in the same
 * engine: once uncached, and once repeated after events of the last minute and a late one. Monitors are measured by the
 * CPU time of the whole process.
 */
import { systemClock } from '../packages/server/src/lib/time/clock.ts'
import { toMetricSeries } from '../packages/server/src/wire/series-to-wire.ts'
import type { MetricSeriesQuery } from '../packages/server/src/ports/metrics/metric-series.ts'
import { readMetricSeries } from '../packages/server/src/metrics/read-metric-series.ts'
import type { MeasureQuery } from '../packages/server/src/ports/monitors/monitor-measures.ts'
import { createRates } from '../packages/server/src/pricing/pricer.ts'
import { ClickHouseMetricSeries } from '../packages/server/src/storage/clickhouse/series/clickhouse-metric-series.ts'
import { ClickHouseMonitorMeasures } from '../packages/server/src/storage/clickhouse/measures/clickhouse-monitor-measures.ts'
import { SeriesCache } from '../packages/server/src/storage/clickhouse/series/series-cache.ts'
import { eventMeasure, monitorMeasures } from './lib/archives/monitor-measures.ts'
import { readOptions } from './lib/options.ts'
import { median, percentile } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import {
  ARCHIVE_END,
  DAY_MS,
  ENUM_OPTIONS,
  LARGE_METRICS,
  openSeriesArchive,
  PROJECT,
} from './lib/archives/series-archive.ts'

const EVENTS = 2_000_000
const TRACES = 1_000_000
const SERIES_ALLOWED_MS = 60
const MONITORS = 1000
const EVALUATED_EVERY_S = 30
const SHARE_ALLOWED = 10

const { quick, store } = readOptions()
const TURNS = quick ? 30 : 100
/** Expressions are compiled at their third run, which takes 30 ms. */
const WARM_UP = 4
const ROUNDS = quick ? 3 : 10

const engine = await openSeriesArchive(store, { events: EVENTS, traces: TRACES })
const dependencies = {
  engine,
  settled: async () => undefined,
  pendingPurges: async () => [],
  removedEvents: async () => new Set<never>(),
  idLeadMs: () => 0,
  lookUp: async () => null,
  lookUpGroup: () => Promise.reject(new Error('no measure has groups')),
  ratesOf: createRates({ own: async () => new Map() }),
}
const measures = new ClickHouseMonitorMeasures(dependencies, EVALUATED_EVERY_S * 1000)
const report = new Report(
  `Aggregates: ${amount(EVENTS)} events of a day by minute, ${amount(TRACES)} traces; ${TURNS} turns`,
)
for (const kind of ['boolean', 'numeric', 'enum'] as const) await measureSeries(kind)
await measureMonitors()
await measurePreview()
report.end()
await engine.close()

async function measureSeries(kind: MetricSeriesQuery['kind']): Promise<void> {
  const metricId = LARGE_METRICS[kind]
  const where = `project_id = '${PROJECT}' AND metric_id = '${metricId}'`
  const rawMs: number[] = []
  const firstMs: number[] = []
  const againMs: number[] = []
  const cache = new SeriesCache()
  for (let turn = -WARM_UP; turn < TURNS; turn++) {
    const raw = await timed(() => engine.select(`SELECT sum(value), count() FROM metric_points WHERE ${where}`))
    const first = await timed(() => readDay(kind, new SeriesCache()))
    // Nothing is written: the affected buckets are evicted as if something had been.
    const late = ARCHIVE_END - DAY_MS + (((turn + WARM_UP) * 7_919_000) % DAY_MS)
    for (const at of [ARCHIVE_END - 1, late]) cache.note({ traces: [], metricEvents: [{ record: { metricId, at } }] })
    const again = await timed(() => readDay(kind, cache))
    if (turn < 0) continue
    rawMs.push(raw)
    firstMs.push(first)
    againMs.push(again)
  }
  const sum = `a plain sum p50 ${amount(median(rawMs))}, p95 ${amount(percentile(rawMs, 0.95))}`
  report.atMost(
    `${kind} metric by minute, uncached: p95`,
    percentile(firstMs, 0.95),
    SERIES_ALLOWED_MS,
    'ms',
    `p50 ${amount(median(firstMs))}; ${sum}`,
  )
  report.atMost(
    `… repeated, with new events: p95`,
    percentile(againMs, 0.95),
    SERIES_ALLOWED_MS,
    'ms',
    `p50 ${amount(median(againMs))}`,
  )
}

/** The use case and the text of its result. */
async function readDay(kind: MetricSeriesQuery['kind'], cache: SeriesCache): Promise<string> {
  const options = kind === 'enum' ? ENUM_OPTIONS.map((value) => ({ value })) : null
  const series = new ClickHouseMetricSeries(dependencies, cache)
  const found = await readMetricSeries(
    { store: series, findMetric: async () => ({ id: LARGE_METRICS[kind], kind, options }), clock: systemClock },
    {
      projectId: PROJECT,
      name: kind,
      times: { startTime: ARCHIVE_END - DAY_MS, endTime: ARCHIVE_END, bucket: '1m' },
      filters: { ...toTraceFilters('events', {}), source: null, metadata: [] },
      groupBy: null,
    },
  )
  if (found.points.length !== 1440) throw new Error(`${found.points.length} points`)
  return JSON.stringify(toMetricSeries(kind, found))
}

async function measureMonitors(): Promise<void> {
  const questions = monitorMeasures(MONITORS)
  const cpuSeconds: number[] = []
  const wallMs: number[] = []
  let samples = 0
  for (let round = -1; round < ROUNDS; round++) {
    const until = ARCHIVE_END - (ROUNDS - round) * EVALUATED_EVERY_S * 1000
    const before = process.cpuUsage()
    const ms = await timed(async () => {
      const asked = questions.map(({ question, windowMs }) => inWindow(question, until - windowMs, until))
      for (const answer of await measures.measure(PROJECT, asked)) samples += answer.samples
    })
    const { user, system } = process.cpuUsage(before)
    if (round < 0) continue
    cpuSeconds.push((user + system) / 1e6)
    wallMs.push(ms)
  }
  if (samples === 0) throw new Error('no monitor found anything')
  const share = (100 * median(cpuSeconds)) / EVALUATED_EVERY_S
  const remark = `each round ${amount(median(cpuSeconds))} s of CPU, ${amount(median(wallMs))} ms`
  report.atMost(`${amount(MONITORS)} monitors each ${EVALUATED_EVERY_S} s: one core`, share, SHARE_ALLOWED, '%', remark)
}

async function measurePreview(): Promise<void> {
  const times = { firstAt: ARCHIVE_END - 12 * 3_600_000, stepMs: 40_000, count: 1000, windowMs: 3_600_000 }
  for (const aggregation of ['avg', 'p95'] as const) {
    const question = { ...eventMeasure(1), aggregation }
    const ms = await timed(() => measures.measureOver(PROJECT, question, times))
    report.figure(`a preview of 1,000 windows of an hour, ${aggregation}`, amount(ms, 'ms'))
  }
}

function inWindow(question: MeasureQuery, from: number, until: number) {
  return { ...question, from, until }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
