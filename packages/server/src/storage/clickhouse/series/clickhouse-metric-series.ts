import { SERIES_GROUPS_MAX, SERIES_POINTS_MAX } from '@spoor/contract/limits'
import { bucketOf, bucketStart, type TimeBuckets, type TimeSpan } from '../../../lib/time/time-buckets.ts'
import type {
  MetricAggregates,
  MetricSeriesQuery,
  MetricSeriesStore,
  Series,
  SeriesPoint,
} from '../../../ports/metrics/metric-series.ts'
import { type AggregateRows, eventConditions, metricRows } from './aggregate-rows.ts'
import { type BucketRow, bucketedRows, type OptionCounts, tooManyPoints } from './bucketed-rows.ts'
import { rowGroup } from '../rows/row-groups.ts'
import { type ChosenGroups, chooseGroups } from './chosen-groups.ts'
import { type PendingPurges, withoutDeleted } from './deleted-events.ts'
import { quantiles, scaledSum, toAverage, toPlainAverage } from './numeric-aggregates.ts'
import { partsToRead } from './parts-to-read.ts'
import type { SeriesCache, SeriesRead } from './series-cache.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** Dependencies of the aggregates. */
export interface AggregateDependencies {
  readonly engine: TelemetryEngine
  /** Resolves when everything that was readable at the call is in the engine. */
  readonly settled: () => Promise<void>
  readonly pendingPurges: PendingPurges
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
    const { engine, settled, pendingPurges } = this.#dependencies
    const cached = this.#cache.beginRead(query)
    try {
      await settled()
      const deleted = await withoutDeleted(engine, pendingPurges, query.projectId)
      const reader = new SeriesReader(engine, query, deleted)
      // While deleted rows are filtered by name, results are valid only for a moment, so they are not cached.
      const series = deleted === null ? await readThrough(cached, query, reader) : await reader.readAll()
      if (series.points.length > SERIES_POINTS_MAX) throw tooManyPoints()
      return series
    } finally {
      cached.end()
    }
  }
}

/** Takes cached buckets from the cache and reads the others from the engine. */
async function readThrough(
  cached: SeriesRead,
  { span, buckets }: MetricSeriesQuery,
  reader: SeriesReader,
): Promise<Series<MetricAggregates>> {
  const found = new Map<number, readonly Point[]>()
  const keep = (part: readonly TimeSpan[], points: readonly Point[]) => {
    for (const [bucket, ofBucket] of byBucket(part, buckets, points)) {
      found.set(bucket, ofBucket)
      if (isWhole(span, buckets, bucket)) cached.store(bucket, ofBucket)
    }
  }
  for (const bucket of bucketsOf(span, buckets)) {
    const points = isWhole(span, buckets, bucket) ? cached.find(bucket) : undefined
    if (points !== undefined) found.set(bucket, points)
  }
  if (found.size > 0) {
    const parts = partsToRead(span, buckets, (bucket) => found.has(bucket))
    const read = await reader.readParts(parts)
    read?.forEach((points, index) => keep(parts[index] ?? [], points))
    const points = bucketsOf(span, buckets).flatMap((bucket) => found.get(bucket) ?? [])
    if (read !== null && new Set(points.map(({ group }) => group)).size <= SERIES_GROUPS_MAX) {
      return { points, groupsLeftOut: 0 }
    }
  }
  const series = await reader.readAll()
  if (series.groupsLeftOut === 0) keep([span], series.points)
  else cached.forget()
  return series
}

/** Reads one series from the engine. */
class SeriesReader {
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

  /**
   * All points of each part. Null when a part has more groups than a result shows: then all rows are needed to find the
   * largest groups.
   */
  async readParts(parts: readonly (readonly TimeSpan[])[]): Promise<readonly (readonly Point[])[] | null> {
    const read = await Promise.all(
      parts.map(async (part) => {
        const groups = await this.#chooseGroups(part)
        return groups !== null && groups.leftOut > 0 ? null : this.#read(part, groups)
      }),
    )
    return read.every((points) => points !== null) ? read : null
  }

  async #chooseGroups(part: readonly TimeSpan[]): Promise<ChosenGroups | null> {
    const { groupBy } = this.#query
    return groupBy === null ? null : await chooseGroups(this.#engine, this.#rowsIn(part), rowGroup(groupBy))
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

function bucketsOf({ startTime, endTime }: TimeSpan, buckets: TimeBuckets): readonly number[] {
  const first = bucketOf(buckets, startTime)
  return Array.from({ length: bucketOf(buckets, endTime - 1) - first + 1 }, (_, index) => first + index)
}

function isWhole({ startTime, endTime }: TimeSpan, buckets: TimeBuckets, bucket: number): boolean {
  return bucketStart(buckets, bucket) >= startTime && bucketStart(buckets, bucket + 1) <= endTime
}

function byBucket(
  part: readonly TimeSpan[],
  buckets: TimeBuckets,
  points: readonly Point[],
): ReadonlyMap<number, readonly Point[]> {
  const all = part.flatMap((span) => bucketsOf(span, buckets))
  const found = new Map<number, Point[]>(all.map((bucket) => [bucket, []]))
  for (const point of points) found.get(bucketOf(buckets, point.at))?.push(point)
  return found
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

/**
 * Sums without scaling, since scaling each number would cost a twentieth of the whole query. A sum beyond the largest
 * number is returned as null.
 */
const NUMERIC = numericKind('sum(value)', toPlainAverage)
/** For numbers whose sum would overflow. */
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
