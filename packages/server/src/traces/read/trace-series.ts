import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { ClusterFilter } from '@spoor/contract/trace-filters'
import type { Clock } from '../../lib/time/clock.ts'
import { type SpanRequest, type TimeBuckets, type TimeSpan, toBucketedSpan } from '../../lib/time/time-buckets.ts'
import type { ScoreFilters } from '../../ports/metrics/scored-by.ts'
import { type ModelRates, modelOfPriced } from '../../ports/prices/price.ts'
import type { PointPlace, Series } from '../../ports/metrics/series-point.ts'
import type {
  PriceOfTokens,
  TraceAggregates,
  TraceSeriesQuery,
  TraceSeriesStore,
} from '../../ports/traces/trace-series.ts'
import { boundsCost } from '../rules/trace-bounds.ts'
import { toScoredBy } from './score-filter.ts'
import { type ClusterMembers, clusterTraces } from './cluster-members.ts'
import { searchWords } from './search-words.ts'

/** A query as a client sends it, without the fields that the service computes. */
export type TraceSeriesRequest = Omit<
  TraceSeriesQuery,
  'span' | 'buckets' | 'words' | 'among' | 'scored' | 'withoutMetric' | 'rates'
> & {
  readonly times: SpanRequest
  /** Full-text query; null: all. */
  readonly text: string | null
  /** The current cluster; none of the traces if it does not exist. Null: all. */
  readonly cluster: ClusterFilter | null
  /** A name. All traces if there is no such metric. Null: all. */
  readonly withoutMetric: string | null
  readonly scores: ScoreFilters
}

export interface TraceSeries extends Series<TraceAggregates> {
  readonly span: TimeSpan
  readonly buckets: TimeBuckets
  /** Models without a price, sorted. Their tokens cost nothing here. Empty unless the measure is `cost_usd`. */
  readonly unpricedModels: readonly string[]
}

export interface TraceSeriesDependencies {
  readonly store: TraceSeriesStore
  /** The current prices. */
  readonly pricerOf: (projectId: ProjectId) => Promise<PriceOfTokens>
  readonly ratesOf: (projectId: ProjectId) => Promise<ModelRates>
  readonly clusters: ClusterMembers
  /** Null when the project has no such metric. */
  readonly metricIdOf: (projectId: ProjectId, name: string) => Promise<MetricId | null>
  /** See Journal. */
  readonly idLeadMs: () => number
  readonly clock: Clock
  readonly fullText: boolean
  /** Yields to the event loop. */
  readonly breathe: () => Promise<void>
}

/** The series of a measure over traces. Throws DomainError `validation_failed`, `full_text_disabled`. */
export async function readTraceSeries(
  dependencies: TraceSeriesDependencies,
  { times, text, cluster, withoutMetric: metric, scores, ...request }: TraceSeriesRequest,
): Promise<TraceSeries> {
  const { store, pricerOf, clock, fullText } = dependencies
  const { measure, projectId } = request
  const { span, buckets } = toBucketedSpan(times, clock.now())
  const words = searchWords(text, fullText)
  const among = cluster === null ? null : await clusterTraces(dependencies, projectId, cluster, span)
  const scored = await toScoredBy(dependencies.metricIdOf, projectId, scores)
  if (among?.length === 0 || scored === undefined) {
    return { span, buckets, points: [], groupsLeftOut: 0, unpricedModels: [] }
  }
  const withoutMetric = metric === null ? null : await dependencies.metricIdOf(projectId, metric)
  const rates = boundsCost(request.filters) ? await dependencies.ratesOf(projectId) : null
  const query = { ...request, span, buckets, words, among, scored, withoutMetric, rates }
  if (measure === 'cost_usd') return { span, buckets, ...(await costs(store, await pricerOf(projectId), query)) }
  return { span, buckets, ...(await store.traceSeries({ ...query, measure })), unpricedModels: [] }
}

async function costs(store: TraceSeriesStore, price: PriceOfTokens, query: TraceSeriesQuery) {
  const { points, tokens, groupsLeftOut } = await store.tokensUsed(query, price)
  const unpriced = new Set<string>()
  const sums = new Map<string, number>()
  for (const { model, tokens: used, ...place } of tokens) {
    const cost = price(model, used)
    const point = pointKey(place)
    if (cost === null) unpriced.add(modelOfPriced(model).model)
    else sums.set(point, (sums.get(point) ?? 0) + cost)
  }
  return {
    points: points.map(({ ...point }) =>
      Object.assign(point, { aggregates: { measure: 'cost_usd' as const, sum: sums.get(pointKey(point)) ?? 0 } }),
    ),
    groupsLeftOut,
    unpricedModels: [...unpriced].sort(),
  }
}

function pointKey({ at, group, other }: PointPlace): string {
  if (other === true) return `${at} other`
  return `${at} ${group === null ? '' : `:${group}`}`
}
