import type { JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { StepRow } from '../../ports/clusters/cluster-traces.ts'
import type {
  DiscoveryParameters,
  DiscoveryPhase,
  DiscoveryProgress,
  DiscoveryResult,
} from '../../ports/clusters/discovery-job.ts'

/** What the worker is asked for, one after the other. */
export interface WorkerOperations {
  /**
   * Traces of which it has no features of this version, or no text where the embedder needs one: at most 1,000 are
   * asked about at once.
   */
  lacking: { readonly request: LackingRequest; readonly answer: readonly TraceId[] }
  /** Makes and keeps features from steps. A trace without any step has features too. */
  keep: { readonly request: KeepRequest; readonly answer: null }
  /** Packed ids of the last run's traces, when another embedder saw them: the next run needs features of them too. */
  former: { readonly request: { readonly projectId: ProjectId }; readonly answer: string }
  /** Those of which the embedder has to ask an endpoint; both packed. */
  unembedded: {
    readonly request: { readonly projectId: ProjectId; readonly traceIds: string }
    readonly answer: string
  }
  /**
   * Asks the endpoint for these and keeps what it answers. Some hundred at once: whoever else needs the thread waits
   * meanwhile.
   */
  embed: {
    readonly request: { readonly projectId: ProjectId; readonly traceIds: readonly TraceId[] }
    readonly answer: null
  }
  /** Clusters, written as a run. Null, and nothing is written, when the job does not run under the epoch any more. */
  discover: { readonly request: DiscoverRequest; readonly answer: DiscoveryResult | null }
  /**
   * Puts traces that came after the run into the nearest cluster. False when the embedder is another one now: the next
   * run will see them.
   */
  assign: { readonly request: AssignRequest; readonly answer: boolean }
  /** Removes a part of what is not needed any more; whether there may be more. */
  tidy: { readonly request: { readonly projectId: ProjectId }; readonly answer: boolean }
}

export type WorkerOperation = keyof WorkerOperations

export interface TraceVersion {
  readonly id: TraceId
  readonly version: number
}

interface LackingRequest {
  readonly projectId: ProjectId
  readonly traces: readonly TraceVersion[]
}

export interface KeepRequest {
  readonly projectId: ProjectId
  readonly traces: readonly TraceVersion[]
  readonly steps: readonly StepRow[]
}

export interface DiscoverRequest {
  readonly projectId: ProjectId
  readonly jobId: JobId
  /** Under which the job was taken. */
  readonly epoch: number
  readonly parameters: DiscoveryParameters
  /** Milliseconds since 1970 UTC. */
  readonly startedAt: number
  /** Packed: see pack-ids.ts. */
  readonly traceIds: string
  /** 1 for each that failed. */
  readonly failed: Uint8Array
}

export interface AssignRequest {
  readonly projectId: ProjectId
  /** Of the run they are put into: another one has looked at them itself. */
  readonly runId: JobId
  readonly traceIds: readonly TraceId[]
  /** The greatest of those looked at. */
  readonly through: TraceId
}

export type ToWorker = {
  [O in WorkerOperation]: { readonly operation: O; readonly request: WorkerOperations[O]['request'] }
}[WorkerOperation]

export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: DiscoveryProgress }
  /** Something that the operator is to know, and that ends nothing. */
  | { readonly kind: 'notice'; readonly message: string; readonly detail: string }
  | { readonly kind: 'answer'; readonly answer: WorkerOperations[WorkerOperation]['answer'] }
  /** An endpoint gave nothing: whoever asked is told, and nothing is wrong with the thread. */
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'error'; readonly detail: string; readonly stack: string | null }

export type ReportProgress = (phase: DiscoveryPhase, share: number) => void
