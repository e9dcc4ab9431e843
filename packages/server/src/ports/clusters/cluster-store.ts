import type { ClusterId, JobId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { Cluster, ClusterNews, ClusterRun, Representative } from './cluster.ts'

/** A run and where it stands among all. */
export interface PlacedRun extends ClusterRun {
  /** Grows from run to run, over all projects. */
  readonly place: number
  /** Traces up to this one were looked at, by the run or since. */
  readonly assignedThrough: TraceId
}

export interface RunSummary extends PlacedRun {
  readonly clusters: readonly Pick<Cluster, 'id' | 'label' | 'size'>[]
}

export interface ClusterDetail {
  readonly cluster: Cluster
  readonly representatives: readonly Representative[]
  readonly centroid: Float32Array
}

export interface MapPoint {
  readonly traceId: TraceId
  readonly x: number
  readonly y: number
  readonly clusterId: ClusterId
}

/** A cluster of the newest run, by which its members are asked for. */
export interface ClusterPlace {
  readonly run: number
  readonly index: number
  /** Members lie within, both inclusive. */
  readonly lowestId: TraceId
  readonly highestId: TraceId
}

export interface KeptTrace {
  readonly projectId: ProjectId
  readonly traceId: TraceId
}

/**
 * What discoveries found (DiscoveryMemory writes it), for readers. A read returns what was committed before it, in
 * microseconds for each row, and never waits for a write. Two reads may see the store before and after a run: of a run
 * that is not the newest any more, `clusters`, `find`, `map`, `members` and the like may find less and less, in the end
 * nothing. Writes, and errors of all methods, as in DiscoveryJobStore.
 */
export interface ClusterStore {
  /** The newest run of the project; undefined before the first. */
  currentRun(projectId: ProjectId): Promise<PlacedRun | undefined>
  /** By the id of its job, of any project's. */
  findRun(id: JobId): Promise<PlacedRun | undefined>
  /**
   * Newest first, those with a place before `before`, or all. Clusters are in the order of the run, the largest first.
   */
  runs(projectId: ProjectId, before: number | null, limit: number): Promise<readonly RunSummary[]>
  /** In no order. */
  projectsWithRuns(): Promise<readonly ProjectId[]>

  /** Of a run, the largest first; `size` counts its members as of now. Those without a member are listed, too. */
  clusters(run: PlacedRun): Promise<readonly Cluster[]>
  /** Undefined when the run has no such cluster. */
  find(run: PlacedRun, id: ClusterId): Promise<ClusterDetail | undefined>
  /**
   * At most `limit`, always the same ones of a run, and much the same of two runs over much the same traces: the first
   * ones of what a greater `limit` returns. Members that came after the run are not on the map.
   */
  map(run: PlacedRun, limit: number): Promise<readonly MapPoint[]>

  /** Of the newest run. Null when the project has no such cluster, or it has no members. */
  place(projectId: ProjectId, id: ClusterId): Promise<ClusterPlace | null>
  /** In the order of ids, strictly behind `after` in that order. */
  members(place: ClusterPlace, after: TraceId | null, order: 'asc' | 'desc', limit: number): Promise<readonly TraceId[]>
  /** Which of these are members. */
  membersAmong(place: ClusterPlace, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>>
  /** How many of these are members, by cluster; clusters with none are left out. `traceIds` MUST be distinct. */
  countAmong(run: PlacedRun, traceIds: readonly TraceId[]): Promise<ReadonlyMap<ClusterId, number>>

  /** Runs with news that may not have been journaled, oldest first. */
  untold(limit: number): Promise<readonly { readonly run: PlacedRun; readonly news: readonly ClusterNews[] }[]>
  /** Its news are journaled. Nothing happens when it was marked before, or is not there. */
  markTold(id: JobId): Promise<void>
  /** Traces with features, of all projects, by project and id, those behind `after`. */
  keptTraces(after: KeptTrace | null, limit: number): Promise<readonly KeptTrace[]>
  /**
   * Takes traces out of the clusters of the project's newest run and removes what is kept of them: features, text, and
   * the vector of the text unless another trace has the same. Some hundred at once; nothing happens to those of which
   * nothing is kept.
   */
  forget(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<void>
}
