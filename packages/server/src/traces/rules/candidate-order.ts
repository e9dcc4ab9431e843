import type { TraceId } from '@spoor/contract/ids'
import { durationOf, totalTokens } from './rollup.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { costOfTrace } from './trace-bounds.ts'
import { type FeedCandidate, type FeedCandidateQuery, UNKNOWN_DURATION } from '../../ports/traces/trace-store.ts'

/** The sort key of the list; 0 for the creation time, which is in the id. */
export function sortKey(trace: TraceRecord, { sort, rates }: Pick<FeedCandidateQuery, 'sort' | 'rates'>): number {
  if (sort === 'created_at') return 0
  if (sort === 'cost_usd') return costOfTrace(trace, rates)
  if (sort === 'duration_ms') return durationOf(trace) ?? UNKNOWN_DURATION
  return sort === 'total_tokens' ? totalTokens(trace.tokenUsage) : trace.stepCount
}

interface Position {
  readonly key: number
  readonly id: TraceId
}

type Order = Pick<FeedCandidateQuery, 'sort' | 'order'>

/** Negative when `a` comes before `b` in the order of the query. Versions of one trace with the same key are equal. */
export function comparePositions(a: Position, b: Position, { sort, order }: Order): number {
  const byId = a.id < b.id ? -1 : a.id > b.id ? 1 : 0
  const ascending = sort === 'created_at' ? byId : a.key - b.key || byId
  return order === 'asc' ? ascending : -ascending
}

/** The order of candidates; of versions with the same key, the latest comes first. */
export function compareCandidates(a: FeedCandidate, b: FeedCandidate, order: Order): number {
  return comparePositions(a, b, order) || b.version - a.version
}

/**
 * Merges the candidates of two sources: each version once, in order, at most the limit of the query. If both have it,
 * the first tells its key: an engine that has just got a model does not know its price yet.
 */
export function mergeCandidates(
  first: readonly FeedCandidate[],
  second: readonly FeedCandidate[],
  query: Order & Pick<FeedCandidateQuery, 'limit'>,
): FeedCandidate[] {
  const distinct = new Map([...second, ...first].map((found) => [`${found.id} ${found.version}`, found]))
  return [...distinct.values()].sort((a, b) => compareCandidates(a, b, query)).slice(0, query.limit)
}
