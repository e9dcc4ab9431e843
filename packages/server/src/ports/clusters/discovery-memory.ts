import type { JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { Cluster, ClusterNews, ClusterRun, Representative } from './cluster.ts'
import type { ClusterCountChoice, PreviousRun } from '@spoor/clustering/identity/previous-run'
import type { MapFrame } from '@spoor/clustering/map/map-frame'
import type { Matrix } from '@spoor/clustering/matrix'
import type { VectorMemory } from './vector-memory.ts'

/** What is kept of a trace, so that a discovery does not read its steps again. */
export interface TraceFeatures {
  readonly traceId: TraceId
  readonly version: number
  /** As `encodeFeatures` has it. */
  readonly features: Uint8Array
  /** What names are made from, JSON text. */
  readonly excerpt: string
  /** What an endpoint is sent; null when there is none. */
  readonly text: string | null
}

export interface StoredBasis {
  /** Counts the bases of the project, whoever embeds. */
  readonly fit: number
  /** As `encodeBasis` or `encodeFrame` has it. */
  readonly basis: Uint8Array
}

/** The newest run, as the next one needs it. */
export interface RememberedRun {
  readonly place: number
  readonly previous: PreviousRun
  /** In the order of `previous.clusters`. */
  readonly firstSeenAt: readonly number[]
  readonly names: readonly RememberedName[]
}

/** `namedBy`: the model; null for the words of its traces. */
export type RememberedName = Pick<Cluster, 'label' | 'description' | 'keywords'> & { readonly namedBy: string | null }

export interface RememberedCentroids {
  readonly place: number
  readonly id: JobId
  readonly embedderVersion: string
  readonly centroids: Matrix
  /** As `reachesOf` has them. */
  readonly reaches: Float32Array
}

export interface NewCluster extends Cluster {
  /** Mean cosine of its traces to its centroid. */
  readonly cohesion: number
  readonly representatives: readonly Representative[]
  /** As in RememberedName. */
  readonly namedBy: string | null
}

export interface NewRun extends ClusterRun {
  /** Under which its job was taken. */
  readonly epoch: number
  /** From the largest to the smallest. */
  readonly clusters: readonly NewCluster[]
  readonly centroids: Matrix
  readonly reaches: Float32Array
  readonly traceIds: readonly TraceId[]
  /** For each trace the index of its cluster. */
  readonly assignments: Int32Array
  readonly map: MapFrame
  readonly refusedGain: number
  readonly choice: ClusterCountChoice
  readonly news: readonly ClusterNews[]
  /** When one was fitted for it. */
  readonly basis: StoredBasis | null
}

export interface NewMember {
  readonly traceId: TraceId
  readonly cluster: number
}

/** Features kept of each project, the newest traces': twice as many as a discovery looks at. */
export const FEATURES_KEPT = 200_000

/**
 * What discoveries remember, and the one writer of what they make. Its writes may take seconds, so they run in a thread
 * or process in which nobody else waits. What `putFeatures`, `addMembers`, `tidy` and VectorMemory.put wrote is seen by
 * all reads from when they resolve; a power loss may take it back, because it is made again. Reads that take lists
 * return a value for each item, in the order of the list. Methods reject with DomainError `disk_full` or
 * `storage_unavailable`: nothing is changed then.
 */
export interface DiscoveryMemory {
  readonly vectors: VectorMemory
  /**
   * Those, in their order, of which there are no features by this embedder and of this version or a later one, or no
   * text where one is needed.
   */
  withoutFeatures(
    projectId: ProjectId,
    traces: readonly { readonly id: TraceId; readonly version: number }[],
    embedder: string,
    options: { readonly withText: boolean },
  ): Promise<readonly TraceId[]>
  /** All in one transaction. Replaces what was kept of these traces, with which they lose their vectors. */
  putFeatures(projectId: ProjectId, embedder: string, rows: readonly TraceFeatures[]): Promise<void>
  /** Undefined where there are none by this embedder. */
  features(
    projectId: ProjectId,
    embedder: string,
    traceIds: readonly TraceId[],
  ): Promise<readonly (Uint8Array | undefined)[]>
  /** Undefined where nothing is kept. */
  excerpts(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<readonly (string | undefined)[]>
  /** That of the newest run that fitted one. */
  basis(projectId: ProjectId): Promise<StoredBasis | undefined>
  /** With its members, but for those that were added or forgotten since, by trace id. */
  lastRun(projectId: ProjectId): Promise<RememberedRun | undefined>
  /** Of the newest run, without who is in its clusters. */
  centroids(projectId: ProjectId): Promise<RememberedCentroids | undefined>
  /**
   * Writes the run and its basis in one transaction, durable when this resolves. False, and nothing is written, when
   * its job does not run under `epoch` any more. Rejects when the job has a run already, and nothing is written.
   */
  applyRun(run: NewRun): Promise<boolean>
  /**
   * Adds traces that came since the run at `place`, unless they are members; `through` is the greatest trace looked at,
   * up to which the run is assigned from now on, never less far than before. Nothing happens when another run is the
   * newest now.
   */
  addMembers(projectId: ProjectId, place: number, members: readonly NewMember[], through: TraceId): Promise<void>
  /**
   * Removes a bounded part of what is not needed any more: members of all runs but the newest, runs behind CLUSTER_RUNS_KEPT,
   * features behind FEATURES_KEPT, vectors of no trace. Returns whether there may be more.
   */
  tidy(projectId: ProjectId): Promise<boolean>
}
