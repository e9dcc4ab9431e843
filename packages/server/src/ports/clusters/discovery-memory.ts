import type { JobId, TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from './cluster-set.ts'
import type { Cluster, ClusterNews, ClusterRun, Representative } from './cluster.ts'
import type { PreviousRun } from '@spoor/clustering/identity/previous-run'
import type { Matrix } from '@spoor/clustering/matrix'
import type { Template } from '@spoor/clustering/text/template'
import type { VectorMemory } from './vector-memory.ts'

/** The stored data of a trace, so that a discovery does not read its steps again. */
export interface TraceFeatures {
  readonly traceId: TraceId
  readonly version: number
  /** Where the project said the request is. */
  readonly inputPath: string | null
  /** The number of the template that the text is without. */
  readonly template: number
  /** As encoded by `encodeFeatures`. */
  readonly features: Uint8Array
  /** JSON text that names are made from. */
  readonly excerpt: string
  /** The text for an endpoint; null when there is none. */
  readonly text: string | null
}

export interface StoredBasis {
  /** Counts the bases of the project over all embedders. */
  readonly fit: number
  /** As encoded by `encodeBasis` or `encodeFrame`. */
  readonly basis: Uint8Array
}

/** Grows with each change: features of another one are obsolete. */
export interface StoredTemplate {
  readonly number: number
  readonly runs: Template
}

/** The latest run, as the next one needs it. */
export interface RememberedRun {
  readonly place: number
  readonly previous: PreviousRun
  /** In the order of `previous.clusters`. */
  readonly firstSeenAt: readonly number[]
  readonly names: readonly RememberedName[]
  /** At most EARLIER_TRACES traces of the run EARLIER_RUNS before the next one, or of the first. */
  readonly earlier: readonly TraceId[]
}

/** A topic that rises over as many runs is compared with its share before. */
export const EARLIER_RUNS = 8
export const EARLIER_TRACES = 500

/** `namedBy`: the model; null when named by the words of its traces. */
export type RememberedName = Pick<Cluster, 'label' | 'description' | 'keywords' | 'parent'> & {
  readonly namedBy: string | null
}

export interface RememberedCentroids {
  readonly place: number
  readonly id: JobId
  readonly embedderVersion: string
  readonly centroids: Matrix
  /** As computed by `reachesOf`. */
  readonly reaches: Float32Array
}

export interface NewCluster extends Cluster {
  /** Mean cosine of its traces to its centroid when it was found. */
  readonly cohesion: number
  /** Whether it has two parts that are clearly apart. */
  readonly isMixed: boolean
  /** The most typical first. */
  readonly representatives: readonly Representative[]
  /** As in RememberedName. */
  readonly namedBy: string | null
}

export interface NewRun extends ClusterRun, Pick<PreviousRun, 'centroids' | 'assignments' | 'map' | 'refusedGain'> {
  /** The epoch under which its job was taken. */
  readonly epoch: number
  /** Largest first. */
  readonly clusters: readonly NewCluster[]
  readonly reaches: Float32Array
  readonly traceIds: readonly TraceId[]
  readonly news: readonly ClusterNews[]
  /** Set when one was fitted for it. */
  readonly basis: StoredBasis | null
}

/** `cluster`: its index in the run, or NO_PLACE if it fits none. */
export interface NewMember {
  readonly traceId: TraceId
  readonly cluster: number
}

export const NO_PLACE = -1

/**
 * The data of discoveries from run to run, and the only writer of their results. Its writes may take seconds, so they
 * run in a thread or process of their own. All reads see the writes of `putFeatures`, `addMembers`, `tidy` and
 * VectorMemory.put from when they resolve; a power loss may revert them, because they can be repeated. Reads that take
 * lists return a value for each item, in the order of the list. What is stored of single traces, and the template,
 * belong to the set of all traces of the kind: selections share them. Methods reject with DomainError `disk_full` or
 * `storage_unavailable`: nothing is changed then.
 */
export interface DiscoveryMemory {
  readonly vectors: VectorMemory
  /**
   * Returns those traces, in their order, without features by this embedder, with this path and template and of this
   * version or a later one, or without a text where one is needed.
   */
  withoutFeatures(
    setId: ClusterSetId,
    traces: readonly { readonly id: TraceId; readonly version: number }[],
    embedder: string,
    options: { readonly withText: boolean; readonly inputPath: string | null; readonly template: number },
  ): Promise<readonly TraceId[]>
  /** Stores features in one transaction. Replaces the stored data of these traces, which lose their vectors. */
  putFeatures(setId: ClusterSetId, embedder: string, rows: readonly TraceFeatures[]): Promise<void>
  /** Undefined for traces without features by this embedder. */
  features(
    setId: ClusterSetId,
    embedder: string,
    traceIds: readonly TraceId[],
  ): Promise<readonly (Uint8Array | undefined)[]>
  /** Undefined for traces without stored data. */
  excerpts(setId: ClusterSetId, traceIds: readonly TraceId[]): Promise<readonly (string | undefined)[]>
  /** The template of the project's requests; undefined before the first. */
  template(setId: ClusterSetId): Promise<StoredTemplate | undefined>
  putTemplate(setId: ClusterSetId, template: StoredTemplate): Promise<void>
  /** The basis of the latest run that fitted one. */
  basis(setId: ClusterSetId): Promise<StoredBasis | undefined>
  /** The latest run with its members by trace id, without members added or removed since. */
  lastRun(setId: ClusterSetId): Promise<RememberedRun | undefined>
  /** The latest run without its members. */
  centroids(setId: ClusterSetId): Promise<RememberedCentroids | undefined>
  /**
   * Writes the run and its basis in one transaction, durable when this resolves. Returns false, and writes nothing,
   * when its job no longer runs under `epoch`. Rejects, and writes nothing, when the job already has a run.
   */
  applyRun(run: NewRun): Promise<boolean>
  /**
   * Adds traces that arrived since the run at `place`, unless they are members. `through` is the greatest trace that
   * was processed: the run is assigned up to it from now on, never less far than before. Does nothing when there is a
   * later run.
   */
  addMembers(setId: ClusterSetId, place: number, members: readonly NewMember[], through: TraceId): Promise<void>
  /**
   * Removes a bounded part of obsolete rows: members of all runs but the latest, runs beyond CLUSTER_RUNS_KEPT, labels
   * given to clusters that the latest run has not, features of all but the newest CLUSTER_TRACES_MAX traces (as many as
   * a discovery reads), vectors without a trace. Returns whether there may be more.
   */
  tidy(setId: ClusterSetId): Promise<boolean>
}
