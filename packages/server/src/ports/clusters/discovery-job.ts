import type { JobId, ProjectId } from '@spoor/contract/ids'
import type { JobStatus } from './job-machine.ts'

/** What a discovery is asked for. */
export interface DiscoveryParameters {
  /** Hours before the run in which traces were created. */
  readonly windowHours: number
  readonly kMin: number
  readonly kMax: number
}

/** How well clusters fit. */
export interface ClusterQuality {
  /** Mean cosine of the traces to the centroid of their cluster. */
  readonly cohesion: number
  /** Mean silhouette by cosine distance, from -1 to 1. */
  readonly silhouette: number
}

/**
 * `insufficient_data`: nothing was discovered, earlier clusters stayed as they were. `too_few_distinct_traces`: there
 * are fewer clusters than `kMin`, because the embedding sees fewer different traces.
 */
type DiscoveryReason = 'insufficient_data' | 'too_few_distinct_traces'

export interface DiscoveryResult {
  readonly reason: DiscoveryReason | null
  /** Traces that were looked at. */
  readonly traces: number
  readonly clusters: number
  readonly created: number
  readonly shifted: number
  readonly ended: number
  readonly quality: ClusterQuality | null
}

/** Times are milliseconds since 1970 UTC. */
export interface DiscoveryJob {
  readonly id: JobId
  readonly projectId: ProjectId
  readonly parameters: DiscoveryParameters
  readonly status: JobStatus
  /** How often it was started. */
  readonly attempts: number
  /** Grows whenever a process takes it, from 0: writes of an earlier one are refused. See DiscoveryJobStore. */
  readonly epoch: number
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** Why it failed, in words. */
  readonly error: string | null
  readonly result: DiscoveryResult | null
}

/** Under what a process that took a job writes about it. */
export type JobEpoch = Pick<DiscoveryJob, 'id' | 'epoch'>

export type DiscoveryPhase = 'listing' | 'reading' | 'embedding' | 'clustering' | 'saving'

/** Of a running job; known to the process that runs it alone. */
export interface DiscoveryProgress {
  readonly phase: DiscoveryPhase
  /** Of the phase, from 0 to 1. */
  readonly share: number
}

/** Of a discovery that made so many clusters. */
export function reasonFor(clusters: number, { kMin }: DiscoveryParameters): DiscoveryReason | null {
  return clusters < kMin ? 'too_few_distinct_traces' : null
}

export function insufficientData(traces: number): DiscoveryResult {
  return { reason: 'insufficient_data', traces, clusters: 0, created: 0, shifted: 0, ended: 0, quality: null }
}
