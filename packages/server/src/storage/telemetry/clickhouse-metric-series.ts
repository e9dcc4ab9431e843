import type { MetricAggregates, MetricSeriesQuery, MetricSeriesStore, Series } from '../../metrics/metric-series.ts'
import { eventConditions, metricRows } from './aggregate-rows.ts'
import { bucketOf, bucketStart, type TimeBuckets, type TimeSpan } from '../../lib/time-buckets.ts'
import {
  type BucketRow,
  bucketedRows,
  chooseGroups,
  isOfMinutes,
  MOST_POINTS,
  type OptionCounts,
  tooManyPoints,
} from './bucketed-rows.ts'
import { type PendingPurges, withoutDeleted } from './deleted-events.ts'
import { MINUTE_MS } from './metric-points-table.ts'
import { quantiles, scaledSum, toAverage, toPlainAverage } from './numeric-aggregates.ts'
import type { TelemetryEngine } from './telemetry-engine.ts'

/** What aggregates need. */
export interface AggregateDependencies {
  readonly engine: TelemetryEngine
  /** Resolves when all that was readable at the call is in the engine. */
  readonly settled: () => Promise<void>
  readonly pendingPurges: PendingPurges
}

/** Series over the table `metric_points`. */
export class ClickHouseMetricSeries implements MetricSeriesStore {
  readonly #dependencies: AggregateDependencies

  constructor(dependencies: AggregateDependencies) {
    this.#dependencies = dependencies
  }

  async metricSeries(query: MetricSeriesQuery): Promise<Series<MetricAggregates>> {
    const { engine, settled, pendingPurges } = this.#dependencies
    await settled()
    const deleted = await withoutDeleted(engine, pendingPurges, query.projectId)
    const rowsIn = (span: TimeSpan) => {
      const bounded = metricRows(query, span, deleted)
      return { ...bounded, conditions: [...bounded.conditions, ...eventConditions(query.filters)] }
    }
    const groups = await chooseGroups(engine, rowsIn(query.span), query.groupBy)
    const spans = partsOf(query.span, query.buckets)
    const ask = async ({ expressions }: Kind) => {
      const parts = await Promise.all(
        spans.map((span) => bucketedRows(engine, rowsIn(span), query.buckets, groups, expressions)),
      )
      return parts.flat()
    }
    let kind = kindOf(query)
    let found = await ask(kind)
    if (kind === NUMERIC && found.some(({ values: [, sum] }) => sum === null)) {
      kind = HUGE_NUMERIC
      found = await ask(kind)
    }
    if (found.length > MOST_POINTS) throw tooManyPoints()
    const points = found.map(({ at, group, values }) => {
      const { count, aggregates } = kind.read(values)
      return { at, group, count, aggregates }
    })
    return { points, groupsLeftOut: groups?.leftOut ?? 0 }
  }
}

/** Buckets from which on a span is read by two sessions of the engine at once. */
const HALVED_FROM = 120

/**
 * The span in parts, in order, none with a bucket of another: halves of it, since each session of the engine works on one core, and apart from them its first and last bucket where they do not
 * begin or end with a minute, so that the others are read by their minutes alone.
 */
function partsOf({ startTime, endTime }: TimeSpan, buckets: TimeBuckets): readonly TimeSpan[] {
  const [first, last] = [bucketOf(buckets, startTime), bucketOf(buckets, endTime - 1)]
  if (last - first + 1 < HALVED_FROM) return [{ startTime, endTime }]
  const cuts = [bucketStart(buckets, Math.ceil((first + last) / 2))]
  if (isOfMinutes(buckets)) {
    if (startTime % MINUTE_MS !== 0) cuts.unshift(bucketStart(buckets, first + 1))
    if (endTime % MINUTE_MS !== 0) cuts.push(bucketStart(buckets, last))
  }
  return [startTime, ...cuts].map((start, at) => ({ startTime: start, endTime: cuts[at] ?? endTime }))
}

interface Kind {
  readonly expressions: readonly string[] | OptionCounts
  readonly read: (values: BucketRow['values']) => { readonly count: number; readonly aggregates: MetricAggregates }
}

function kindOf({ kind, options }: MetricSeriesQuery): Kind {
  if (kind === 'enum') return countsOf(options)
  return kind === 'boolean' ? BOOLEAN : NUMERIC
}

function countsOf(options: readonly string[]): Kind {
  return {
    expressions: { countsOf: options },
    read: (values) => {
      const [count, places, numbers] = values as [number, number[], number[]]
      const pairs = places.map((place, at) => [options[place - 1] as string, numbers[at] as number] as const)
      return { count, aggregates: { kind: 'enum', counts: Object.fromEntries(pairs) } }
    },
  }
}

const BOOLEAN: Kind = {
  expressions: ['count()', 'countIf(value = 1)'],
  read: ([count, passed]) => ({
    count: count as number,
    aggregates: { kind: 'boolean', passed: passed as number },
  }),
}

/** Sums as they are, since scaling each number costs a twentieth of the whole: one beyond the largest number there is comes as null. */
const NUMERIC = numericKind('sum(value)', toPlainAverage)
/** Of numbers whose sum would be too large. */
const HUGE_NUMERIC = numericKind(scaledSum('value'), toAverage)

function numericKind(sum: string, average: typeof toAverage): Kind {
  return {
    expressions: ['count()', sum, 'min(value)', 'max(value)', quantiles(['p50', 'p95'], 'value')],
    read: (values) => {
      const [count, sumOfAll, min, max, [p50, p95]] = values as [number, number, number, number, [number, number]]
      const avg = average(sumOfAll, count, min, max)
      return { count, aggregates: { kind: 'numeric', avg, min, max, p50, p95 } }
    },
  }
}
