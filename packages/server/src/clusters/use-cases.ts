import type { ClusterId, JobId, ProjectId, SelectionId, TraceId } from '@spoor/contract/ids'
import type { ClusterKind } from '@spoor/contract/schemas/cluster'
import type { ClusterFilter, TraceFilters } from '@spoor/contract/trace-filters'
import type { Page, PageRequest } from '../lib/list-page.ts'
import type { Cluster } from '../ports/clusters/cluster.ts'
import type { ClusterSetId } from '../ports/clusters/cluster-set.ts'
import type { ClusterSchedule } from '../ports/clusters/cluster-schedule.ts'
import type { MapPoint, RunSummary, Selection } from '../ports/clusters/cluster-store.ts'
import type { SimilarTrace, TraceVersion } from './worker/messages.ts'
import type { DiscoveryJob, DiscoveryParameters, DiscoveryProgress } from '../ports/clusters/discovery-job.ts'

/**
 * The operations on clusters for clients. Every method answers a cluster or job of another project exactly as one that
 * does not exist: DomainError `not_found`. Writes throw `disk_full` and `storage_unavailable`.
 */
export interface ClusterUseCases {
  /** Throws `not_found` if there is no such selection. */
  setOf(projectId: ProjectId, kind: ClusterKind, selection: SelectionId | null): Promise<ClusterSetId>
  /** Oldest first. */
  selections(projectId: ProjectId): Promise<readonly KnownSelection[]>
  dropSelection(projectId: ProjectId, id: SelectionId): Promise<void>
  /** Clusters of the last run, or only the one of a trace; `computedAt` is null before the first. */
  list(setId: ClusterSetId, traceId?: TraceId): Promise<ClusterListing>
  read(projectId: ProjectId, id: ClusterId): Promise<ReadCluster>
  /** Null for a trace that is in no cluster. */
  clusterOf(projectId: ProjectId, traceId: TraceId): Promise<ClusterId | null>
  /** The run that a cluster is of, else the last one of all requests; null before the first. */
  discoveryOf(projectId: ProjectId, cluster?: ClusterFilter | null): Promise<DiscoveryOf | null>
  /**
   * Those of the newest traces given, by their similarity to one, the most similar first. Those that would take long to
   * read, and with an endpoint those that it has not embedded yet, are left out.
   */
  similar(projectId: ProjectId, trace: TraceVersion, among: readonly TraceVersion[]): Promise<readonly SimilarTrace[]>
  /** Gives the cluster a label, which stays as long as its id; null returns to the automatic one. */
  rename(projectId: ProjectId, id: ClusterId, label: string | null): Promise<ReadCluster>
  /** At most `limit` points. */
  map(
    setId: ClusterSetId,
    limit: number,
  ): Promise<{ readonly points: readonly MapPoint[]; readonly computedAt: number | null }>
  /**
   * Returns the job, which may be one that is already queued or running. With filters, it is a job of their selection.
   * Throws `validation_failed`, `full_text_disabled`.
   */
  discover(
    projectId: ProjectId,
    kind: ClusterKind,
    parameters: DiscoveryParameters,
    filters?: SelectionFilters | null,
  ): Promise<DiscoveryJob>
  job(projectId: ProjectId, id: JobId): Promise<WatchedJob>
  /** Newest first: a queued or running job is the first. */
  jobs(setId: ClusterSetId, page: PageRequest): Promise<Page<WatchedJob>>
  /** Newest first. */
  runs(setId: ClusterSetId, page: PageRequest): Promise<Page<RunSummary>>
  schedule(setId: ClusterSetId): Promise<ClusterSchedule>
  /** Throws `validation_failed`. */
  setSchedule(
    setId: ClusterSetId,
    schedule: Pick<ClusterSchedule, 'enabled' | 'everyHours' | 'parameters'>,
  ): Promise<ClusterSchedule>
}

/** The filters of a list of traces. */
export interface SelectionFilters extends TraceFilters<'lists'> {
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
  /** Milliseconds since 1970 UTC. */
  readonly startTime: number | null
  readonly endTime: number | null
  readonly text: string | null
}

export interface KnownSelection extends Omit<Selection, 'filters'> {
  readonly filters: SelectionFilters
}

interface DiscoveryOf {
  readonly kind: ClusterKind
  /** Which traces it took as failed. */
  readonly failureBy: string
  /** The beginning of its window, milliseconds since 1970 UTC. */
  readonly createdFrom: number
  /** Those of its selection, null for all traces. */
  readonly filters: SelectionFilters | null
}

interface ClusterListing {
  readonly clusters: readonly ListedCluster[]
  readonly computedAt: number | null
  /** Which traces its run took as failed; null before the first. */
  readonly failureBy: string | null
  /** Traces that arrived since and fit no cluster. */
  readonly unassigned: number
}

/** Its label is the given one, if there is one. */
export interface ListedCluster extends Cluster {
  readonly kind: ClusterKind
  /** Null for clusters of all traces. */
  readonly selection: SelectionId | null
  /** The label by the discovery if another one was given; null otherwise. */
  readonly automaticLabel: string | null
  /** The first request of the user of a typical trace, or for failures its error; null without one. */
  readonly typicalRequest: string | null
  /** The request of another typical trace, if it differs. */
  readonly otherRequest: string | null
  /** Mean cosine of its traces to its centroid when it was found, from 0 to 1. */
  readonly tightness: number
  /** Whether it has two parts that were clearly apart: a request of each is given. */
  readonly isMixed: boolean
}

export interface ReadCluster {
  readonly cluster: ListedCluster
  readonly representatives: readonly {
    readonly traceId: TraceId
    readonly name: string
    readonly request: string | null
    readonly similarity: number
  }[]
  readonly centroid: Float32Array
  readonly computedAt: number
  readonly failureBy: string
}

export interface WatchedJob {
  readonly job: DiscoveryJob
  /** Null unless the job runs. */
  readonly progress: DiscoveryProgress | null
}
