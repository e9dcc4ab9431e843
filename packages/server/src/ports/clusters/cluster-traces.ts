import type { ProjectId, TraceId } from '@spoor/contract/ids'

export interface ListedTrace {
  readonly id: TraceId
  readonly version: number
  readonly createdAt: number
  readonly failed: boolean
}

export interface TraceListQuery {
  readonly projectId: ProjectId
  /** Ids lie in `[lowestId, highestId)`. */
  readonly lowestId: TraceId
  readonly highestId: TraceId
  /** Created no earlier; milliseconds. */
  readonly createdFrom: number
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

/**
 * A step as stored: its trace, what it is called, and the raw JSON object of its messages and error; `{}` where neither
 * can matter.
 */
export type StepRow = readonly [traceId: TraceId, name: string, type: string, status: 'ok' | 'error', body: string]

/**
 * The traces that clusters are made of. `list` sees everything that was committed before it was called, `steps` at
 * least what the last `list` saw. Both reject when they cannot be read.
 */
export interface ClusterTraces {
  /** The newest version of each, deleted ones left out, in the order of ids. */
  list(query: TraceListQuery): Promise<readonly ListedTrace[]>
  /**
   * The steps of at most 1,000 traces, those of a trace together and in order, in parts of about a megabyte. Of a trace
   * with more than 4 MB of bodies, or 1,000 steps, only the beginning. Traces without a step, or that do not exist, are
   * left out. Each part is read when the reader asks for it.
   */
  steps(projectId: ProjectId, traceIds: readonly TraceId[]): AsyncIterable<readonly StepRow[]>
}
