import type { MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { RowFilters } from '@spoor/contract/trace-filters'
import type { ModelRates, TokensOfModel } from '../prices/price.ts'
import type { ScoredBy } from '../metrics/scored-by.ts'
import type { TokenUsage } from './trace-record.ts'

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

export interface SummaryPageQuery extends SummaryQuery {
  /** Only sessions or users whose last trace was created before this one; null: all. */
  readonly before: TraceId | null
  readonly limit: number
}

/** The traces of one session or user. */
export interface TraceSummary {
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
  /** What their steps used of each model, in the order of names. Steps without a model are left out. */
  readonly usage: readonly TokensOfModel[]
  /** The other field: users of a session, or sessions of a user. */
  readonly others: {
    readonly count: number
    /** The first MOST_OTHERS, by their UTF-8 bytes. */
    readonly first: readonly string[]
  }
}

export const MOST_OTHERS = 100

/** How many sessions or users one call names at most. */
export const SUMMED_TOGETHER = 100

/**
 * Sums over the traces of sessions and users. The latest version of each trace counts, and of each step; deleted traces
 * do not. Everything committed before a call counts.
 */
export interface TraceSummaryStore {
  /** Sessions or users with a passing trace, by the id of the last of these, newest first. */
  findSummaries(query: SummaryPageQuery): Promise<readonly SummaryPlace[]>
  /** These sessions or users, in no order. Those without a passing trace are left out. */
  sumUp(query: SummaryQuery, values: readonly string[]): Promise<readonly TraceSummary[]>
}

export interface SummaryPlace {
  readonly value: string
  /** Its last passing trace. */
  readonly lastTraceId: TraceId
}
