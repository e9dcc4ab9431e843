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

/** Runs kept of each project; members are kept of the newest one alone. */
export const RUNS_KEPT = 100

/**
 * What the worker has written, as the rest of the service sees it: reads take microseconds for each row asked for and never wait for the worker. Writes as in DiscoveryJobStore.
 */
export interface ClusterStore {
  /** The newest run of the project. */
  currentRun(projectId: ProjectId): PlacedRun | undefined
  /** By the id of its job, of any project's. */
  findRun(id: JobId): PlacedRun | undefined
  /** Newest first, those before the place. */
  runs(projectId: ProjectId, before: number | null, limit: number): readonly RunSummary[]
  projectsWithRuns(): readonly ProjectId[]

  /** Of a run, the largest first; `size` counts who is a member now. */
  clusters(run: PlacedRun): readonly Cluster[]
  find(run: PlacedRun, id: ClusterId): ClusterDetail | undefined
  /** At most `limit`, always the same ones of a run, and much the same of two runs over much the same traces. */
  map(run: PlacedRun, limit: number): readonly MapPoint[]

  /** Null when the project has no such cluster, or it has no members. */
  place(projectId: ProjectId, id: ClusterId): ClusterPlace | null
  /** Members in the order of ids, strictly behind `after`. */
  members(place: ClusterPlace, after: TraceId | null, order: 'asc' | 'desc', limit: number): readonly TraceId[]
  /** Which of these are members. */
  membersAmong(place: ClusterPlace, traceIds: readonly TraceId[]): ReadonlySet<TraceId>
  /** How many of these are members, by cluster. */
  countAmong(run: PlacedRun, traceIds: readonly TraceId[]): ReadonlyMap<ClusterId, number>

  /** Runs whose news may not have been journaled, oldest first. */
  untold(limit: number): readonly { readonly run: PlacedRun; readonly news: readonly ClusterNews[] }[]
  markTold(id: JobId): Promise<void>
  /** Every trace of which anything is kept, of all projects in the order of their ids, those behind `after`. */
  keptTraces(after: KeptTrace | null, limit: number): readonly KeptTrace[]
  /** Takes traces out of the project's clusters, and whatever else is kept of them. */
  forget(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<void>
}
