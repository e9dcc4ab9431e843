import type { FailureMeasure } from '@spoor/contract/failure-measure'
import type { TraceHeading } from '@spoor/clustering/text/trace-text'
import type { SummaryQuery } from '../traces/trace-summaries.ts'
import type { MetricId, ProjectId, TraceId } from '@spoor/contract/ids'

export interface ListedTrace {
  readonly id: TraceId
  readonly version: number
  readonly createdAt: number
  /** Null when nothing is known: it has no event of the metric. */
  readonly failed: boolean | null
}

/** By what a trace counts as failed: see FailureMeasure. */
export type TraceFailure =
  Exclude<FailureMeasure, { kind: 'metric' }> | { readonly kind: 'metric'; readonly id: MetricId }

export interface TraceListQuery {
  readonly projectId: ProjectId
  /** Ids lie in `[lowestId, highestId)`. */
  readonly lowestId: TraceId
  readonly highestId: TraceId
  /** Earliest creation, in milliseconds since 1970 UTC. */
  readonly createdFrom: number
  readonly order: 'asc' | 'desc'
  readonly limit: number
  /** Growing traces are left out. Default: false. */
  readonly onlyComplete?: boolean
  /** Traces that did not fail are left out. */
  readonly onlyFailed?: boolean
  /** Default: by status. */
  readonly failure?: TraceFailure
  /** Filters as they were looked up. Traces after its `throughId` do not match. */
  readonly matching?: Omit<SummaryQuery, 'by'>
}

/**
 * A step as stored: its trace, its name and type, the raw JSON object of its messages and error (`{}` where neither is
 * needed), and the tools that it calls.
 */
export type StepRow = readonly [
  traceId: TraceId,
  name: string,
  type: string,
  status: 'ok' | 'error',
  body: string,
  tools: readonly string[],
]

/**
 * The source of traces for clusters. `list` returns everything that was committed before the call, `steps` at least
 * what the last `list` saw. Both reject when they cannot read.
 */
export interface ClusterTraces {
  /** The latest version of each trace, without deleted ones, in the order of ids. */
  list(query: TraceListQuery): Promise<readonly ListedTrace[]>
  /**
   * The steps of at most 1,000 traces, grouped by trace and in order, in parts of about a megabyte. A trace with more
   * than 4 MB of bodies, or 1,000 steps, is cut off. Traces without a step, or that do not exist, are left out. Each
   * part is read on demand. With `answers`, bodies of steps are given in which a model may speak, too, and the last
   * failed step also of a trace that is cut off before it.
   */
  steps(projectId: ProjectId, traceIds: readonly TraceId[], answers?: boolean): AsyncIterable<readonly StepRow[]>
  /**
   * The names of at most 1,000 traces, and the value at `path` in their metadata: a text, or the JSON of another value,
   * at most 16,384 characters. `input` is null without a path, or for a trace without the value.
   */
  headings(
    projectId: ProjectId,
    traceIds: readonly TraceId[],
    path: readonly string[] | null,
  ): Promise<ReadonlyMap<TraceId, TraceHeading>>
}
