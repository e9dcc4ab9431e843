import type { ClusterId, JobId, TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from './cluster-set.ts'
import type { ClusterKind } from '@spoor/contract/schemas/cluster'
import type { FailureVerdict } from '@spoor/clustering/evaluate-failures'
import type { ClusterQuality, DiscoveryParameters, DiscoveryResult } from './discovery-job.ts'
import type { ShiftReason } from '@spoor/clustering/identity/cluster-change'

/** The label of a cluster whose texts were deleted, until the next run names it. */
export const NO_LABEL = 'Unnamed'

/** A cluster as found by its run. */
export interface Cluster extends FailureVerdict {
  readonly id: ClusterId
  readonly label: string
  readonly description: string
  readonly keywords: readonly string[]
  readonly size: number
  /** The name of the topic that holds it and others of the run; null without one. */
  readonly parent: string | null
  /** Milliseconds since 1970 UTC. */
  readonly firstSeenAt: number
}

export interface Representative {
  readonly traceId: TraceId
  /** Cosine to the centroid. */
  readonly similarity: number
}

/** A discovery that found clusters. Readers see the latest one of a set. */
export interface ClusterRun extends Pick<DiscoveryResult, 'traces' | 'created' | 'shifted' | 'ended'> {
  /** Id of its job. */
  readonly id: JobId
  readonly setId: ClusterSetId
  readonly parameters: DiscoveryParameters
  /** Milliseconds since 1970 UTC. */
  readonly computedAt: number
  readonly durationMs: number
  readonly embedderVersion: string
  readonly quality: ClusterQuality
}

/** The result of a discovery that found so many clusters. */
export function resultOf(run: ClusterRun, clusters: number): DiscoveryResult {
  const { parameters, traces, created, shifted, ended, quality } = run
  const reason = clusters < parameters.kMin ? 'too_few_distinct_traces' : null
  return { reason, traces, clusters, created, shifted, ended, quality }
}

/** The events of a run, as they are journaled. */
export type ClusterNews =
  | { readonly kind: 'created'; readonly cluster: Cluster }
  | {
      readonly kind: 'shifted'
      readonly cluster: Cluster
      readonly reason: ShiftReason
      /** From 0 to 1. */
      readonly similarity: number
      /** Size and share in the last run; shares are of all its traces. */
      readonly previous: { readonly size: number; readonly share: number }
      readonly share: number
      readonly joined: number
      readonly left: number
      readonly splitInto: readonly ClusterId[]
      readonly mergedFrom: readonly ClusterId[]
    }

/** The cluster as JSON text in the wire format. */
export type PrintClusterNews = (news: ClusterNews, kind: ClusterKind) => string
