import { percentilesOf } from '@spoor/contract/aggregations'
import { SERIES_POINTS_MAX } from '@spoor/contract/limits'
import type { TimeSpan } from '../../../lib/time/time-buckets.ts'
import type { MetricAggregates, MetricSeriesQuery, MetricSeriesStore } from '../../../ports/metrics/metric-series.ts'
import type { Series, SeriesPoint } from '../../../ports/metrics/series-point.ts'
import { type AggregateRows, eventConditions, metricRows } from './aggregate-rows.ts'
import { type BucketRow, bucketedRows, type OptionCounts, tooManyPoints } from './bucketed-rows.ts'
import { type ChosenGroups, chooseGroups } from './chosen-groups.ts'
import { type DeletedEventsDependencies, withoutDeleted } from './deleted-events.ts'
import {
  distribution,
  type Numbers,
  scaledSum,
  toAverage,
  toDistribution,
  toPlainAverage,
} from './numeric-aggregates.ts'
import { partsToRead } from './parts-to-read.ts'
import { readThrough, type SeriesReader } from './read-through.ts'
import type { SeriesCache } from './series-cache.ts'
import { groupOf, sqlField } from './series-groups.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

export interface AggregateDependencies extends DeletedEventsDependencies {
  /** Resolves when everything that was readable at the call is in the engine. */
  readonly settled: () => Promise<void>
  /** See Journal. Read it after `settled`: newly settled rows may have raised it. */
  readonly idLeadMs: () => number
}

type Point = SeriesPoint<MetricAggregates>

/**
 * Series over the table `metric_points`. A bucket is read once, and again only after a new commit to it; see
 * SeriesCache.
 */
export class ClickHouseMetricSeries implements MetricSeriesStore {
  readonly #dependencies: AggregateDependencies
  readonly #cache: SeriesCache

  constructor(dependencies: AggregateDependencies, cache: SeriesCache) {
    this.#dependencies = dependencies
    this.#cache = cache
  }

  async metricSeries(query: MetricSeriesQuery): Promise<Series<MetricAggregates>> {
    const { engine, settled } = this.#dependencies
    const cached = this.#cache.beginRead<Point>(query)
    try {
      await settled()
      const deleted = await withoutDeleted(this.#dependencies, query.projectId)
      const reader = new MetricSeriesReader(engine, query, deleted)
      // While deleted rows are filtered by name, results are valid only for a moment, so they are not cached.
      const series = await (deleted === null ? readThrough(cached, query, reader) : reader.readAll())
      if (series.points.length > SERIES_POINTS_MAX) throw tooManyPoints()
      return series
    } finally {
      cached.end()
    }
  }
}

class MetricSeriesReader implements SeriesReader<Point> {
  readonly #engine: TelemetryEngine
  readonly #query: MetricSeriesQuery
  readonly #deleted: string | null

  constructor(engine: TelemetryEngine, query: MetricSeriesQuery, deleted: string | null) {
    this.#engine = engine
    this.#query = query
    this.#deleted = deleted
  }

  async readAll(): Promise<Series<MetricAggregates>> {
    const { span, buckets } = this.#query
    const groups = await this.#chooseGroups([span])
    const parts = partsToRead(span, buckets, () => false)
    const points = await Promise.all(parts.map((part) => this.#read(part, groups)))
    return { points: points.flat(), groupsLeftOut: groups?.leftOut ?? 0 }
  }

  /** No points if groups are left out. */
  async readPart(part: readonly TimeSpan[]): Promise<Series<MetricAggregates>> {
    const groups = await this.#chooseGroups(part)
    const groupsLeftOut = groups?.leftOut ?? 0
    return { points: groupsLeftOut > 0 ? [] : await this.#read(part, groups), groupsLeftOut }
  }

  async #chooseGroups(part: readonly TimeSpan[]): Promise<ChosenGroups | null> {
    const { groupBy } = this.#query
    if (groupBy === null) return null
    const rows = this.#rowsIn(part)
    return await chooseGroups(this.#engine, rows, groupOf([sqlField(groupBy, 'events', rows.within, 0)]))
  }

  async #read(part: readonly TimeSpan[], groups: ChosenGroups | null): Promise<readonly Point[]> {
    const ask = ({ expressions }: Kind) =>
      bucketedRows(this.#engine, this.#rowsIn(part), this.#query.buckets, groups, expressions)
    let kind = kindOf(this.#query)
    let found = await ask(kind)
    if (kind === NUMERIC && found.some(({ values: [, sum] }) => sum === null)) {
      kind = HUGE_NUMERIC
      found = await ask(kind)
    }
    return found.map(({ values, ...place }) => Object.assign(place, kind.read(values)))
  }

  #rowsIn(part: readonly TimeSpan[]): AggregateRows {
    const rows = metricRows(this.#query, part, this.#deleted)
    return { ...rows, conditions: [...rows.conditions, ...eventConditions(this.#query.filters)] }
  }
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

const SHOWN = percentilesOf('metrics')

/**
 * Sums without scaling, since scaling each number would cost a twentieth of the whole query. A sum beyond the largest
 * number is returned as null.
 */
const NUMERIC = numericKind('sum(value)', toPlainAverage)
/** For numbers whose sum would overflow. */
const HUGE_NUMERIC = numericKind(scaledSum('value'), toAverage)

function numericKind(sum: string, average: typeof toAverage): Kind {
  return {
    expressions: distribution(SHOWN, 'value', sum),
    read: (values) => {
      const numbers = values as unknown as Numbers
      return { count: numbers[0], aggregates: { kind: 'numeric', ...toDistribution(SHOWN, numbers, average) } }
    },
  }
}
