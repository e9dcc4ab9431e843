import type { TraceHeading } from '@spoor/clustering/text/trace-text'
import type { JobId, TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from '../../ports/clusters/cluster-set.ts'
import type { StepRow } from '../../ports/clusters/cluster-traces.ts'
import type {
  DiscoveryParameters,
  DiscoveryPhase,
  DiscoveryProgress,
  DiscoveryResult,
} from '../../ports/clusters/discovery-job.ts'

/** Requests to the worker, which are answered one after the other. */
export interface WorkerOperations {
  /** Traces without features of this version, or without a text that the embedder needs. At most 1,000 in a request. */
  lacking: { readonly request: LackingRequest; readonly answer: readonly TraceId[] }
  /** Finds the template of the requests of a sample: see learnTemplate. */
  learn: { readonly request: KeepRequest; readonly answer: null }
  /** Computes and stores features from steps. A trace without a step gets features too. */
  keep: { readonly request: KeepRequest; readonly answer: null }
  /** Packed ids of the last run's traces, when another embedder made it: the next run needs their features too. */
  former: { readonly request: { readonly setId: ClusterSetId }; readonly answer: string }
  /** Traces for which the embedder needs an endpoint; both packed. */
  unembedded: {
    readonly request: { readonly setId: ClusterSetId; readonly traceIds: string }
    readonly answer: string
  }
  /**
   * Requests the vectors of these traces and stores them. A few hundred at a time, because other requests wait for the
   * thread.
   */
  embed: {
    readonly request: { readonly setId: ClusterSetId; readonly traceIds: readonly TraceId[] }
    readonly answer: null
  }
  /**
   * Computes clusters and writes them as a run. Null, and nothing is written, when the job no longer runs under the
   * epoch.
   */
  discover: { readonly request: DiscoverRequest; readonly answer: DiscoveryResult | null }
  /**
   * Assigns traces that arrived after the run to the nearest cluster, by their steps. False when the embedder is
   * another one now: the next run will include them.
   */
  assign: { readonly request: AssignRequest; readonly answer: boolean }
  similar: { readonly request: SimilarRequest; readonly answer: readonly SimilarTrace[] }
  /** Removes a part of the obsolete rows; returns whether there may be more. */
  tidy: { readonly request: { readonly setId: ClusterSetId }; readonly answer: boolean }
}

export type WorkerOperation = keyof WorkerOperations

export interface TraceVersion {
  readonly id: TraceId
  readonly version: number
}

interface LackingRequest {
  readonly setId: ClusterSetId
  readonly traces: readonly TraceVersion[]
  /** Features of another path are obsolete. */
  readonly inputPath: string | null
}

/** Traces with what is embedded of them. */
export interface StepPart {
  readonly traces: readonly (TraceVersion & TraceHeading)[]
  readonly steps: readonly StepRow[]
  /** Where the project says the request is, see ProjectSettings, … */
  readonly inputPath: string | null
  /** … and the path if it is in messages. */
  readonly inMessages: readonly string[] | null
}

export interface KeepRequest extends StepPart {
  readonly setId: ClusterSetId
}

/** In `failed`: the trace is in no error rate. */
export const NOT_MEASURED = 2

export interface DiscoverRequest {
  readonly setId: ClusterSetId
  readonly jobId: JobId
  /** The epoch under which the job was taken. */
  readonly epoch: number
  readonly parameters: DiscoveryParameters
  /** Milliseconds since 1970 UTC. */
  readonly startedAt: number
  /** Packed: see pack-ids.ts. */
  readonly traceIds: string
  /** 1 for each that failed, 0 for the others, NOT_MEASURED when nothing is known. */
  readonly failed: Uint8Array
}

export interface AssignRequest extends KeepRequest {
  /** The run to assign to; a later run has clustered them itself. */
  readonly runId: JobId
  /** All traces up to this one have been processed. */
  readonly through: TraceId
}

export interface SimilarRequest {
  readonly setId: ClusterSetId
  readonly traceId: TraceId
  /** Packed. */
  readonly among: string
}

export interface SimilarTrace {
  readonly traceId: TraceId
  /** Cosine of the embeddings, from 0 to 1. */
  readonly similarity: number
}

export type ToWorker = {
  [O in WorkerOperation]: { readonly operation: O; readonly request: WorkerOperations[O]['request'] }
}[WorkerOperation]

export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: DiscoveryProgress }
  /** A message for the log; it ends nothing. */
  | { readonly kind: 'notice'; readonly message: string; readonly detail: string }
  | { readonly kind: 'answer'; readonly answer: WorkerOperations[WorkerOperation]['answer'] }
  /** An endpoint returned nothing: the request fails, and the thread continues. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** The store cannot be used now: the request can be repeated. */
  | { readonly kind: 'away'; readonly detail: string }
  | { readonly kind: 'error'; readonly detail: string; readonly stack: string | null }

export type ReportProgress = (phase: DiscoveryPhase, share: number) => void
