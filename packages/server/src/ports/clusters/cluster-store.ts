import type { ClusterId, JobId, ProjectId, SelectionId, TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from './cluster-set.ts'
import type { ClusterFilter } from '@spoor/contract/trace-filters'
import type { Cluster, ClusterNews, ClusterRun } from './cluster.ts'
import type { NewCluster } from './discovery-memory.ts'

export interface PlacedRun extends ClusterRun {
  /** Grows from run to run, over all projects. */
  readonly place: number
  /** Traces up to this one were processed, by the run or since. */
  readonly assignedThrough: TraceId
}

export interface RunSummary extends PlacedRun {
  readonly clusters: readonly Pick<Cluster, 'id' | 'label' | 'size'>[]
}

export interface FoundCluster extends Pick<NewCluster, 'cohesion' | 'isMixed' | 'representatives'> {
  readonly cluster: Cluster
}

export interface ClusterDetail extends FoundCluster {
  readonly centroid: Float32Array
}

export interface MapPoint {
  readonly traceId: TraceId
  readonly x: number
  readonly y: number
  readonly clusterId: ClusterId
}

/** A cluster of the latest run, by which its members are read. */
export interface ClusterPlace {
  readonly run: number
  readonly index: number
  /** Bounds of the members' ids, both inclusive. */
  readonly lowestId: TraceId
  readonly highestId: TraceId
}

export interface KeptTrace {
  readonly setId: ClusterSetId
  readonly traceId: TraceId
}

/** Traces with clusters of their own. */
export interface Selection {
  /** A digest of the filters. */
  readonly id: SelectionId
  /** JSON text. */
  readonly filters: string
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
}

/**
 * The results of discoveries, which DiscoveryMemory writes, for readers. A read returns what was committed before it,
 * takes microseconds for each row, and never waits for a write. Two reads may see the store before and after a run: for
 * a run that is no longer the latest, `clusters`, `find`, `map`, `members` and the like may return less and less, in
 * the end nothing. Writes, and errors of all methods, as in DiscoveryJobStore.
 */
export interface ClusterStore {
  /** Oldest first. */
  selections(projectId: ProjectId): Promise<readonly Selection[]>
  /** Does nothing when the project has it. False, and changes nothing, when it has CLUSTER_SELECTIONS_MAX others. */
  addSelection(projectId: ProjectId, selection: Selection): Promise<boolean>
  /**
   * Removes a selection with its jobs, runs, bases and labels, a bounded part of it: call it until it returns false.
   * Then nothing of it exists. A discovery of it that runs writes nothing any more.
   */
  dropSelection(projectId: ProjectId, id: SelectionId): Promise<boolean>
  /** The latest run of the project; undefined before the first. */
  currentRun(setId: ClusterSetId): Promise<PlacedRun | undefined>
  /** Reads a run by the id of its job, of any project. */
  findRun(id: JobId): Promise<PlacedRun | undefined>
  /**
   * Newest first; only runs with a place before `before`, or all. Clusters are in the order of the run, the largest
   * first.
   */
  runs(setId: ClusterSetId, before: number | null, limit: number): Promise<readonly RunSummary[]>

  /**
   * The clusters of a run, the largest first; `size` is the current number of members. Clusters without a member are
   * included.
   */
  clusters(run: PlacedRun): Promise<readonly FoundCluster[]>
  /** Undefined when the run has no such cluster. */
  find(run: PlacedRun, id: ClusterId): Promise<ClusterDetail | undefined>
  /** The labels that were given to clusters of the project, also to ones that have ended since. */
  labels(setId: ClusterSetId): Promise<ReadonlyMap<ClusterId, string>>
  /** Gives the cluster a label, which replaces an earlier one; null removes it. */
  putLabel(setId: ClusterSetId, clusterId: ClusterId, label: string | null): Promise<void>
  /**
   * At most `limit` points. A run always returns the same ones, and two runs over nearly the same traces return nearly
   * the same; a smaller `limit` returns the first ones of a greater. Members that arrived after the run are not on the
   * map.
   */
  map(run: PlacedRun, limit: number): Promise<readonly MapPoint[]>

  /**
   * A cluster of the latest runs of the project and its selections, or the traces that fit none of its requests. Null
   * when the project has no such cluster, or it has no members.
   */
  place(projectId: ProjectId, id: ClusterFilter): Promise<ClusterPlace | null>
  /** Members in the order of ids, strictly after `after`. */
  members(place: ClusterPlace, after: TraceId | null, order: 'asc' | 'desc', limit: number): Promise<readonly TraceId[]>
  membersAmong(place: ClusterPlace, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>>
  /**
   * The number of these traces that are members, by cluster, and of those that fit none; what has none is left out.
   * `traceIds` MUST be distinct.
   */
  countAmong(run: PlacedRun, traceIds: readonly TraceId[]): Promise<ReadonlyMap<ClusterFilter, number>>
  /** The number of traces that arrived since the run and fit no cluster. */
  countUnassigned(run: PlacedRun): Promise<number>

  /** Runs with events that may not be in the journal yet, oldest first. */
  pending(limit: number): Promise<readonly { readonly run: PlacedRun; readonly news: readonly ClusterNews[] }[]>
  /** Marks the events of the run as journaled. Does nothing when they were marked before or the run does not exist. */
  markEmitted(id: JobId): Promise<void>
  /** Traces with features, of all projects, by project and id, those after `after`. */
  keptTraces(after: KeptTrace | null, limit: number): Promise<readonly KeptTrace[]>
  /**
   * Removes traces from the clusters of the project's latest runs, with their stored data: features, text, and the
   * vector of the text unless another trace has the same text. A few hundred at a time; traces without stored data are
   * ignored.
   */
  forget(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<void>
  /**
   * Clears texts that discoveries made from traces, in all runs of the project: labels, descriptions, keywords and
   * topics of clusters. Labels that somebody gave stay. Resolves with false, and changes nothing, while a discovery of
   * the project runs or has events that are not journaled: call it again later.
   */
  forgetTexts(projectId: ProjectId): Promise<boolean>
}
