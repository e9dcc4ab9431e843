import type { MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { TimeBuckets, TimeSpan } from '../../lib/time/time-buckets.ts'
import type { ScoredBy, ScoreFilters } from '../metrics/scored-by.ts'
import type { Distribution, PointPlace, Series } from '../metrics/series-point.ts'
import type { ModelRates } from '../prices/price.ts'

/** What is kept by bucket; a series of anything else is an ExploredQuery. */
export const KEPT_MEASURES = [
  'count',
  'error_rate',
  'recovered_errors',
  'duration_ms',
  'total_tokens',
  'cost_usd',
] as const
export const KEPT_GROUPS = ['run_type', 'model', 'status', 'name'] as const
export type TraceSeriesMeasure = (typeof KEPT_MEASURES)[number]

/** Filters on the latest version of each trace; the names mean the same as in the list. Null: no filter. */
interface TraceSeriesFilters extends Omit<TraceFilters<'series'>, 'cluster' | 'withoutMetric' | keyof ScoreFilters> {
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
}

export type TraceGroupBy =
  { readonly by: (typeof KEPT_GROUPS)[number] } | { readonly by: 'metadata'; readonly key: string }

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

/** Over `count` traces. */
export type TraceAggregates =
  | { readonly measure: 'count' }
  | { readonly measure: 'error_rate'; readonly errors: number }
  | { readonly measure: 'recovered_errors'; readonly sum: number }
  | ({ readonly measure: 'duration_ms' } & Distribution<'traces'>)
  | ({ readonly measure: 'total_tokens'; readonly sum: number } & Distribution<'traces'>)
  /** US dollars. */
  | { readonly measure: 'cost_usd'; readonly sum: number }

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
  traceSeries(
    query: TraceSeriesQuery & { readonly measure: Exclude<TraceSeriesMeasure, 'cost_usd'> },
  ): Promise<Series<TraceAggregates>>
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
