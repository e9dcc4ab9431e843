import type { JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { StepRow } from '../cluster-traces.ts'
import type { DiscoveryParameters, DiscoveryPhase, DiscoveryProgress, DiscoveryResult } from '../discovery-job.ts'

/** What the worker is asked for, one after the other. */
export interface WorkerOperations {
  /** Traces of which it has no features of this version: at most 1,000 are asked about at once. */
  lacking: { readonly request: LackingRequest; readonly answer: readonly TraceId[] }
  /** Makes and keeps features from steps. A trace without any step has features too. */
  keep: { readonly request: KeepRequest; readonly answer: null }
  /** Clusters, written as a run. The same job again answers what its run came to. */
  discover: { readonly request: DiscoverRequest; readonly answer: DiscoveryResult }
  /** Puts traces that came after the run into the nearest cluster. */
  assign: { readonly request: AssignRequest; readonly answer: null }
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
  | { readonly kind: 'answer'; readonly answer: WorkerOperations[WorkerOperation]['answer'] }
  | { readonly kind: 'error'; readonly detail: string; readonly stack: string | null }

export type ReportProgress = (phase: DiscoveryPhase, share: number) => void
