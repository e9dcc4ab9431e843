import type { ClusterId, MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { Clock } from '../../lib/time/clock.ts'
import { type SpanRequest, type TimeBuckets, type TimeSpan, toBucketedSpan } from '../../lib/time/time-buckets.ts'
import { type ModelRates, modelOfPriced } from '../../ports/prices/price.ts'
import { boundsCost } from './trace-bounds.ts'
import type { ScoredBy } from '../../ports/metrics/scored-by.ts'
import { type ScoreFilters, toScoredBy } from './score-filter.ts'
import { type ClusterMembers, clusterTraces } from './cluster-members.ts'
import { searchWords } from './search-words.ts'

export type TraceSeriesMeasure =
  'count' | 'error_rate' | 'recovered_errors' | 'duration_ms' | 'total_tokens' | 'cost_usd'

/** Filters on the latest version of each trace; the names mean the same as in the list. Null: no filter. */
interface TraceSeriesFilters extends Omit<TraceFilters<'series'>, 'cluster' | 'withoutMetric' | keyof ScoreFilters> {
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
}

export type TraceGroupBy =
  { readonly by: 'run_type' | 'model' | 'status' | 'name' } | { readonly by: 'metadata'; readonly key: string }

export interface TraceSeriesQuery {
  readonly projectId: ProjectId
  readonly measure: TraceSeriesMeasure
  /** By `created_at`. */
  readonly span: TimeSpan
  readonly buckets: TimeBuckets
  readonly filters: TraceSeriesFilters
  /** All words in the name or all in one step, as in the list. Null: no text filter. */
  readonly words: readonly string[] | null
  readonly groupBy: TraceGroupBy | null
  /** Only these traces: at least one, at most 100,000, in the order of ids. Null: all. */
  readonly among: readonly TraceId[] | null
  /** Only traces with such an event. Null: all. */
  readonly scored: ScoredBy | null
  /** Only traces without an event of this metric. Null: all. */
  readonly withoutMetric: MetricId | null
  /** Current prices, for bounds of the cost. Null without such bounds. */
  readonly rates: ModelRates | null
}

/** Over `count` traces. Percentiles are exact up to 8,192 traces, and computed from a sample of that size beyond. */
export type TraceAggregates =
  | { readonly measure: 'count' }
  | { readonly measure: 'error_rate'; readonly errors: number }
  | { readonly measure: 'recovered_errors'; readonly sum: number }
  | ({ readonly measure: 'duration_ms' } & Distribution)
  | ({ readonly measure: 'total_tokens'; readonly sum: number } & Distribution)
  /** US dollars. */
  | { readonly measure: 'cost_usd'; readonly sum: number }

export interface Distribution {
  readonly avg: number
  readonly min: number
  readonly max: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

/** One bucket of one group. */
interface PointPlace {
  /** When the bucket begins, milliseconds since 1970 UTC. */
  readonly at: number
  /** Null for traces without a value, for a series without groups, and for `other`. */
  readonly group: string | null
  /** The sum of all groups that are left out. */
  readonly other?: true
}

export interface TraceSeriesPoint<Aggregates = TraceAggregates> extends PointPlace {
  /** Number of traces; for `duration_ms`, of those whose duration is known. */
  readonly count: number
  readonly aggregates: Aggregates
}

/** A query as a client sends it, without the fields that the service computes. */
export type TraceSeriesRequest = Omit<
  TraceSeriesQuery,
  'span' | 'buckets' | 'words' | 'among' | 'scored' | 'withoutMetric' | 'rates'
> & {
  readonly times: SpanRequest
  /** Full-text query; null: all. */
  readonly text: string | null
  /** The current cluster; none of the traces if it does not exist. Null: all. */
  readonly cluster: ClusterId | null
  /** A name. All traces if there is no such metric. Null: all. */
  readonly withoutMetric: string | null
  readonly scores: ScoreFilters
}

export interface TraceSeries {
  readonly span: TimeSpan
  readonly buckets: TimeBuckets
  readonly points: readonly TraceSeriesPoint[]
  /** How many groups are not among the 100 with the greatest total of the measure. They are summed as `other`. */
  readonly groupsLeftOut: number
  /** Models without a price, sorted. Their tokens cost nothing here. Empty unless the measure is `cost_usd`. */
  readonly unpricedModels: readonly string[]
}

/**
 * Tokens of one model in one bucket and group. `input` includes cached tokens, and is at least that many in each step.
 */
export interface UsedTokens extends PointPlace {
  /** As `pricedName`. */
  readonly model: string
  readonly tokens: PricedTokens
}

interface PricedTokens {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/**
 * What tokens of a model cost, US dollars; null when the model has no price. MUST be linear in the tokens while `input`
 * is not less than the cached tokens, because it is called with sums over steps.
 */
export type PriceOfTokens = (model: string, tokens: PricedTokens) => number | null

/**
 * Throws DomainError `validation_failed` when the result would have more than 10,000 points. Deleted traces do not
 * count.
 */
export interface TraceSeriesStore {
  traceSeries(query: TraceSeriesQuery & { readonly measure: Exclude<TraceSeriesMeasure, 'cost_usd'> }): Promise<{
    readonly points: readonly TraceSeriesPoint[]
    readonly groupsLeftOut: number
  }>
  /**
   * Traces in each bucket and group, and the tokens that their steps used of each model. When grouped by model, a step
   * counts in the group of its own model. `price` decides which groups are left out.
   */
  tokensUsed(
    query: TraceSeriesQuery,
    price: PriceOfTokens,
  ): Promise<{
    readonly points: readonly (PointPlace & { readonly count: number })[]
    readonly tokens: readonly UsedTokens[]
    readonly groupsLeftOut: number
  }>
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
