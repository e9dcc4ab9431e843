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

/** A step as stored: its trace, what it is called, and the raw JSON object of its messages and error; `{}` where neither can matter. */
export type StepRow = readonly [traceId: TraceId, name: string, type: string, status: 'ok' | 'error', body: string]

/** The traces that clusters are made of, as they are committed when asked. */
export interface ClusterTraces {
  /** The newest version of each, deleted ones left out, by id. */
  list(query: TraceListQuery): Promise<readonly ListedTrace[]>
  /**
   * The steps of at most 1,000 traces, those of a trace together and in order, in parts of about a megabyte. Of a trace with more than 4 MB of bodies, or 1,000 steps, only the beginning.
   */
  steps(projectId: ProjectId, traceIds: readonly TraceId[]): AsyncIterable<readonly StepRow[]>
}
