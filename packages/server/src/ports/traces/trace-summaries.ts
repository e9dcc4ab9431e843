import type { MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { SUMMARY_SORTS } from '@spoor/contract/schemas/traces/trace-summary'
import type { RowFilters } from '@spoor/contract/trace-filters'
import type { ModelRates } from '../prices/price.ts'
import type { ScoredBy } from '../metrics/scored-by.ts'
import type { TokenUsage } from './trace-record.ts'
import { UNKNOWN_DURATION } from './trace-store.ts'

/** The field that traces are grouped by: their session, or their user. */
export type SummaryField = 'session_id' | 'user_id'

export interface SummaryQuery {
  readonly projectId: ProjectId
  readonly by: SummaryField
  /** On the latest version of each trace, as in the list of traces. */
  readonly filters: RowFilters & {
    readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
  }
  /** All words in the name or all in one step; null: any. */
  readonly words: readonly string[] | null
  /** Only these traces: at least one, at most 100,000, in the order of ids. Null: all. */
  readonly among: readonly TraceId[] | null
  /** Only traces with such an event. Null: all. */
  readonly scored: ScoredBy | null
  /** Only traces without an event of this metric. Null: all. */
  readonly withoutMetric: MetricId | null
  /** Current prices, for bounds of the cost. Null without such bounds. */
  readonly rates: ModelRates | null
  /** Bounds on `created_at`, milliseconds; start inclusive, end exclusive; null: no bound. */
  readonly startTime: number | null
  readonly endTime: number | null
  /** Later traces do not count. */
  readonly throughId: TraceId
}

export type SummarySort = (typeof SUMMARY_SORTS)[number]

export interface SummaryPageQuery extends SummaryQuery {
  /** Current prices. */
  readonly prices: ModelRates
  readonly sort: SummarySort
  /** Of equal ones, the first by its UTF-8 bytes comes first, in either order. */
  readonly order: 'desc' | 'asc'
  /** Only sessions or users behind this place; null: all. */
  readonly after: SummaryPlace | null
  readonly limit: number
}

/** The place of a session or user in an order. */
export interface SummaryPlace {
  readonly value: string
  /** What it is sorted by: of `cost_usd` the `costKey`, of `last_at` milliseconds. */
  readonly key: number
}

/** The traces of one session or user. */
export interface TraceSummary extends SummaryPlace {
  /** The id of the session or user. */
  readonly value: string
  /** When the first and the last of the traces were created, milliseconds. */
  readonly firstAt: number
  readonly lastAt: number
  readonly traceCount: number
  readonly stepCount: number
  /** Traces with status error. */
  readonly errorCount: number
  readonly tokenUsage: TokenUsage
  /** Billionths of a US dollar; UNKNOWN_COST when no step has a cost. */
  readonly costKey: number
  /** Of the traces of known duration, rounded, milliseconds; UNKNOWN_DURATION without any. */
  readonly meanDurationMs: number
  /** Of a session: its first MOST_USERS users, by their UTF-8 bytes. Of a user: none. */
  readonly userIds: readonly string[]
  /** Of a user: the number of sessions. Of a session: 0. */
  readonly sessionCount: number
}

export const MOST_USERS = 100

/**
 * Sums over the traces of sessions and users. The latest version of each trace counts; deleted traces do not.
 * Everything committed before a call counts.
 */
export interface TraceSummaryStore {
  /** Sessions or users with a passing trace, in the order of the query. */
  findSummaries(query: SummaryPageQuery): Promise<readonly TraceSummary[]>
}

/** `meanDurationMs` of the sum of the durations of so many traces. */
export function meanDuration(sumMs: number, traces: number): number {
  return traces === 0 ? UNKNOWN_DURATION : Math.floor(sumMs / traces + 0.5)
}

export function summaryKey(of: Omit<TraceSummary, 'key'>, sort: SummarySort): number {
  switch (sort) {
    case 'last_at':
      return of.lastAt
    case 'trace_count':
      return of.traceCount
    case 'step_count':
      return of.stepCount
    case 'error_count':
      return of.errorCount
    case 'total_tokens':
      return of.tokenUsage.input + of.tokenUsage.output
    case 'cost_usd':
      return of.costKey
    case 'mean_duration_ms':
      return of.meanDurationMs
  }
}

/** Negative if `a` comes before `b`. */
export function comparePlaces(a: SummaryPlace, b: SummaryPlace, order: SummaryPageQuery['order']): number {
  if (a.key !== b.key) return order === 'desc' ? b.key - a.key : a.key - b.key
  return compareBytes(a.value, b.value)
}

/** By their UTF-8 bytes, which is the order of JavaScript unless a text has surrogates. */
function compareBytes(a: string, b: string): number {
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a === b ? 0 : a < b ? -1 : 1
}

const SURROGATE = /[\uD800-\uDFFF]/
