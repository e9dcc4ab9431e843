import type { ClusterId, ProjectId, TraceId } from '@spoor/contract/ids'
import { SERIES_CLUSTER_TRACES } from '@spoor/contract/schemas/series-query'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { Clock } from '../../lib/time/clock.ts'
import { type SpanRequest, type TimeBuckets, type TimeSpan, toBucketedSpan } from '../../lib/time/time-buckets.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import { type ClusterMembers, membersWithin } from './cluster-members.ts'
import { searchWords } from './search-words.ts'

export type TraceSeriesMeasure = 'count' | 'error_rate' | 'duration_ms' | 'total_tokens' | 'cost_usd'

/** Which traces count, by their newest version; the names mean what they mean in the feed. Null asks for nothing. */
interface TraceSeriesFilters extends Omit<TraceFilters<'series'>, 'cluster'> {
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
}

export type TraceGroupBy =
  { readonly by: 'run_type' | 'model' | 'status' | 'name' } | { readonly by: 'metadata'; readonly key: string }

export interface TraceSeriesQuery {
  readonly projectId: ProjectId
  readonly measure: TraceSeriesMeasure
  /** Of `created_at`. */
  readonly span: TimeSpan
  readonly buckets: TimeBuckets
  readonly filters: TraceSeriesFilters
  /** All in the name or all in one step, as in the feed; null asks for nothing. */
  readonly words: readonly string[] | null
  readonly groupBy: TraceGroupBy | null
  /** These alone: not empty, 100,000 at most, in the order of ids. Null for all. */
  readonly among: readonly TraceId[] | null
}

/** Of `count` traces; percentiles are exact up to 8,192 of them, and of a sample of as many beyond. */
export type TraceAggregates =
  | { readonly measure: 'count' }
  | { readonly measure: 'error_rate'; readonly errors: number }
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

/** A bucket of a group. */
interface PointPlace {
  /** When the bucket begins, milliseconds since 1970 UTC. */
  readonly at: number
  /** Null for traces that have none, without groups, and for those left out. */
  readonly group: string | null
  /** All groups together that were left out. */
  readonly other?: true
}

export interface TraceSeriesPoint<Aggregates = TraceAggregates> extends PointPlace {
  /** Traces; of `duration_ms` those whose duration is known. */
  readonly count: number
  readonly aggregates: Aggregates
}

/** A question as a client asks it: without what it leaves to the service. */
export type TraceSeriesRequest = Omit<TraceSeriesQuery, 'span' | 'buckets' | 'words' | 'among'> & {
  readonly times: SpanRequest
  /** To search for; null for all. */
  readonly text: string | null
  /** As it is now; of one that is not there, none. Null for all. */
  readonly cluster: ClusterId | null
}

export interface TraceSeries {
  readonly span: TimeSpan
  readonly buckets: TimeBuckets
  readonly points: readonly TraceSeriesPoint[]
  /** How many groups are not among the 100 with the greatest total of the measure: these are one, `other`. */
  readonly groupsLeftOut: number
  /** Models that have no price, sorted: what was used of them costs nothing here. Empty but for `cost_usd`. */
  readonly unpricedModels: readonly string[]
}

/**
 * Tokens of one model in one bucket and group. `input` includes what was read from and written to caches, of each step
 * at least that.
 */
export interface UsedTokens extends PointPlace {
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
 * What tokens of a model cost, US dollars; null when the model has no price. MUST be linear in the tokens as long as
 * `input` is no less than
 * what was cached of it, as it is here: it is asked for sums of them. */
export type PriceOfTokens = (model: string, tokens: PricedTokens) => number | null

/**
 * Throws DomainError `validation_failed` when more than 10,000 points would come of it. Deleted traces do not count.
 */
export interface TraceSeriesStore {
  traceSeries(query: TraceSeriesQuery & { readonly measure: Exclude<TraceSeriesMeasure, 'cost_usd'> }): Promise<{
    readonly points: readonly TraceSeriesPoint[]
    readonly groupsLeftOut: number
  }>
  /**
   * Traces in each bucket and group, and the tokens that their steps used of each model. Grouped by model a step counts
   * in the group of its own. `price` decides which groups are left out.
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
  /** Prices as they stand now. */
  readonly pricerOf: (projectId: ProjectId) => Promise<PriceOfTokens>
  readonly clusters: ClusterMembers
  /** See Journal. */
  readonly idLeadMs: () => number
  readonly clock: Clock
  readonly fullText: boolean
  /** Lets others have their turn. */
  readonly breathe: () => Promise<void>
}

/** The series of a measure over traces. Throws DomainError `validation_failed`, `full_text_disabled`. */
export async function readTraceSeries(
  dependencies: TraceSeriesDependencies,
  { times, text, cluster, ...request }: TraceSeriesRequest,
): Promise<TraceSeries> {
  const { store, pricerOf, clock, fullText } = dependencies
  const { measure, projectId } = request
  const { span, buckets } = toBucketedSpan(times, clock.now())
  const words = searchWords(text, fullText)
  const among = cluster === null ? null : await tracesOf(dependencies, projectId, cluster, span)
  if (among?.length === 0) return { span, buckets, points: [], groupsLeftOut: 0, unpricedModels: [] }
  const query = { ...request, span, buckets, words, among }
  if (measure === 'cost_usd') return { span, buckets, ...(await costs(store, await pricerOf(projectId), query)) }
  return { span, buckets, ...(await store.traceSeries({ ...query, measure })), unpricedModels: [] }
}

async function tracesOf(
  dependencies: TraceSeriesDependencies,
  projectId: ProjectId,
  cluster: ClusterId,
  span: TimeSpan,
): Promise<readonly TraceId[]> {
  const place = await dependencies.clusters.place(projectId, cluster)
  if (place === null) return []
  const traceIds = await membersWithin(dependencies, place, span, SERIES_CLUSTER_TRACES)
  if (traceIds !== null) return traceIds
  const detail = `More than ${SERIES_CLUSTER_TRACES} traces of the cluster lie in this time: ask for less of it.`
  throw invalid({ pointer: '?cluster', code: 'too_many', detail })
}

async function costs(store: TraceSeriesStore, price: PriceOfTokens, query: TraceSeriesQuery) {
  const { points, tokens, groupsLeftOut } = await store.tokensUsed(query, price)
  const unpriced = new Set<string>()
  const sums = new Map<string, number>()
  for (const { model, tokens: used, ...place } of tokens) {
    const cost = price(model, used)
    const point = pointKey(place)
    if (cost === null) unpriced.add(model)
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
