import type { MetricAggregates, MetricSeriesQuery, MetricSeriesStore, Series } from '../../metrics/metric-series.ts'
import { eventConditions, metricRows } from './aggregate-rows.ts'
import { type BucketRow, bucketedRows, chooseGroups, type OptionCounts } from './bucketed-rows.ts'
import { type PendingPurges, withoutDeleted } from './deleted-events.ts'
import { quantiles, scaledSum, toAverage } from './numeric-aggregates.ts'
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
    const bounded = metricRows(query, query.span, await withoutDeleted(engine, pendingPurges, query.projectId))
    const rows = { ...bounded, conditions: [...bounded.conditions, ...eventConditions(query.filters)] }
    const groups = await chooseGroups(engine, rows, query.groupBy)
    const { expressions, read } = kindOf(query)
    const found = await bucketedRows(engine, rows, query.buckets, groups, expressions)
    const points = found.map(({ at, group, values }) => {
      const { count, aggregates } = read(values)
      return { at, group, count, aggregates }
    })
    return { points, groupsLeftOut: groups?.leftOut ?? 0 }
  }
}

interface Kind {
  readonly expressions: readonly string[] | OptionCounts
  readonly read: (values: BucketRow['values']) => { readonly count: number; readonly aggregates: MetricAggregates }
}

function kindOf({ kind, options }: MetricSeriesQuery): Kind {
  return kind === 'enum' ? countsOf(options) : KINDS[kind]
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

const KINDS: Readonly<Record<'boolean' | 'numeric', Kind>> = {
  boolean: {
    expressions: ['count()', 'countIf(value = 1)'],
    read: ([count, passed]) => ({
      count: count as number,
      aggregates: { kind: 'boolean', passed: passed as number },
    }),
  },
  numeric: {
    expressions: ['count()', scaledSum('value'), 'min(value)', 'max(value)', quantiles(['p50', 'p95'], 'value')],
    read: (values) => {
      const [count, sum, min, max, [p50, p95]] = values as [number, number, number, number, [number, number]]
      return { count, aggregates: { kind: 'numeric', avg: toAverage(sum, count, min, max), min, max, p50, p95 } }
    },
  },
}
