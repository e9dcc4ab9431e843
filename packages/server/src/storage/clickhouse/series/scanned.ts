import { isPercentile } from '@spoor/contract/aggregations'
import type { ProjectId } from '@spoor/contract/ids'
import type { TimeBuckets } from '../../../lib/time/time-buckets.ts'
import type { PointPlace } from '../../../ports/metrics/series-point.ts'
import type { ExploredQuery, ExploredValue } from '../../../ports/traces/explored-series.ts'

/** One bucket of one group. */
export interface Scanned extends PointPlace {
  /** Its stored value. */
  readonly group: string
  readonly value: ExploredValue
  /** Priced names without a price. */
  readonly unpriced?: readonly string[]
}

/** Queries that differ in nothing of this have the same buckets. */
export interface KeptQuery extends Pick<ExploredQuery, 'rows' | 'measure' | 'stat' | 'groupBy' | 'filters' | 'words'> {
  readonly projectId: ProjectId
  readonly buckets: TimeBuckets
  /** Their fingerprint. */
  readonly prices: string | null
}

/** As far as it is kept: the commits that change such an answer are those of its traces. Null: none of it is. */
export function keptQuery(query: ExploredQuery, buckets: TimeBuckets): KeptQuery | null {
  const { projectId, rows, measure, stat, groupBy, filters, words, rates } = query
  const others = [query.among, query.scored, query.withoutMetric]
  const depends = groupBy.some(({ by }) => by === 'cluster' || by === 'metric') || others.some((of) => of !== null)
  if (depends || !addsUp(query)) return null
  return { projectId, buckets, rows, measure, stat, groupBy, filters, words, prices: rates?.fingerprint ?? null }
}

/** Whether the numbers of buckets tell that of the whole time. Sums of values of metrics may overflow. */
export function addsUp({ measure, stat }: Pick<ExploredQuery, 'measure' | 'stat'>): boolean {
  return typeof measure !== 'object' && !isPercentile(stat)
}

/** Of all buckets of a group. */
export function added(points: readonly Scanned[], stat: ExploredQuery['stat']): ExploredValue {
  const count = sumOf(points.map(({ value }) => value.count))
  const values = points.map(({ value }) => value.value ?? 0)
  switch (stat) {
    case 'min':
      return { count, value: Math.min(...values) }
    case 'max':
      return { count, value: Math.max(...values) }
    case 'mean': {
      const sum = sumOf(points.map(({ value: of }) => of.sum ?? (of.value ?? 0) * of.count))
      return { count, value: sum / count, sum }
    }
    case 'rate': {
      const errors = sumOf(points.map(({ value }) => value.errors as number))
      return { count, value: errors / count, errors }
    }
    case 'sum':
      return { count, value: sumOf(values), sum: sumOf(values) }
    default:
      return { count, value: sumOf(values) }
  }
}

/** Points of the same bucket and group, of different rows, as one. */
export function joinPoints(points: readonly Scanned[], stat: ExploredQuery['stat']): Scanned[] {
  const same = Map.groupBy(points, ({ at, group }) => `${at} ${group}`)
  return Array.from(same.values(), (of) => {
    const unpriced = [...new Set(of.flatMap((point) => point.unpriced ?? []))]
    const [{ at, group }, value] = [of[0] as Scanned, added(of, stat)]
    return unpriced.length === 0 ? { at, group, value } : { at, group, value, unpriced }
  })
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
