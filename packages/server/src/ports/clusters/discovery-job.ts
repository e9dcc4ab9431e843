import type { JobId } from '@spoor/contract/ids'
import type { ClusterSetId } from './cluster-set.ts'
import type { JobStatus } from './job-machine.ts'

export interface DiscoveryParameters {
  /** Hours before the run in which traces were created. */
  readonly windowHours: number
  readonly kMin: number
  readonly kMax: number
  /** Growing traces are left out. */
  readonly onlyComplete: boolean
  /** Which traces count as failed, as `parseFailureMeasure` reads it. */
  readonly failureBy: string
}

/** How well clusters fit. */
export interface ClusterQuality {
  /** Mean cosine of the traces to the centroid of their cluster. */
  readonly cohesion: number
  /** Mean silhouette by cosine distance, from -1 to 1. */
  readonly silhouette: number
}

export interface DiscoveryResult {
  /**
   * `insufficient_data`: too few traces; earlier clusters stay. `too_few_distinct_traces`: there are fewer clusters
   * than `kMin`, because the embedding distinguishes fewer traces.
   */
  readonly reason: 'insufficient_data' | 'too_few_distinct_traces' | null
  /** Traces that were processed. */
  readonly traces: number
  readonly clusters: number
  readonly created: number
  readonly shifted: number
  readonly ended: number
  readonly quality: ClusterQuality | null
}

/**
 * Jobs of a lane run one after the other, both lanes at once. Each job starts as a short one and moves to the long ones
 * once it turns out to be too large, so that small jobs do not wait for large ones.
 */
export type DiscoveryLane = 'short' | 'long'

/** Times are milliseconds since 1970 UTC. */
export interface DiscoveryJob {
  readonly id: JobId
  readonly setId: ClusterSetId
  readonly parameters: DiscoveryParameters
  readonly lane: DiscoveryLane
  readonly status: JobStatus
  /** How often it was started. */
  readonly attempts: number
  /** Grows from 0 whenever a process takes the job; writes with an earlier one are refused. See DiscoveryJobStore. */
  readonly epoch: number
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** Why it failed, as text. */
  readonly error: string | null
  readonly result: DiscoveryResult | null
}

/** Identifies the taking under which a process writes about a job. */
export type JobEpoch = Pick<DiscoveryJob, 'id' | 'epoch'>

export type DiscoveryPhase = 'listing' | 'reading' | 'embedding' | 'clustering' | 'saving'

/** Progress of a running job; only the process that runs it knows it. */
export interface DiscoveryProgress {
  readonly phase: DiscoveryPhase
  /** Share of the phase, from 0 to 1. */
  readonly share: number
}

export function insufficientData(traces: number): DiscoveryResult {
  return { reason: 'insufficient_data', traces, clusters: 0, created: 0, shifted: 0, ended: 0, quality: null }
}
