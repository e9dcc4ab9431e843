import { CLUSTER_RUNS_KEPT, MAP_POINTS } from '@spoor/contract/limits'
import {
  CLUSTER_KINDS,
  type ClusterKind,
  type ClusterDetail,
  type ClusterList,
  type ClusterMap,
  type ClusterPatch,
  type ClusterRunList,
  type ClusterSchedule,
  type ClusterScheduleBody,
  type ClusterSelectionList,
  type DiscoveryAccepted,
  type DiscoveryBody,
  type DiscoveryJob,
  type DiscoveryJobList,
} from '@spoor/contract/schemas/cluster'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { readQuery } from './client/queries.ts'
import { patch, post, put, remove, request } from './client/request.ts'

/** New traces are assigned to clusters when these are read, and a scheduled run may start at any time. */
const REFETCH = { refetchInterval: 30_000 }
/** Other clients start discoveries, too. */
const JOBS_REFETCH_MS = 5000
const OPEN_JOB_REFETCH_MS = 400

/** Key prefix of all cluster queries, to invalidate them together. */
export const CLUSTERS_KEY = ['clusters']

/** Without a selection, the clusters of all traces. */
export interface ClusterSet {
  readonly kind: ClusterKind
  readonly selection_id?: string
}

const pathOf = (clusterId: string) => `/v1/clusters/${encodeURIComponent(clusterId)}`

export const clustersQuery = (set: ClusterSet) => ({
  ...readQuery<ClusterList>([...CLUSTERS_KEY, 'list', set], '/v1/clusters', { ...set }),
  ...REFETCH,
})

/** Clusters of all kinds, for filters. */
export const clusterNamesQuery = queryOptions({
  queryKey: ['cluster-names'],
  staleTime: 60_000,
  queryFn: async ({ signal }) => {
    const read = (kind: ClusterKind) => request<ClusterList>('/v1/clusters', { query: { kind }, signal })
    return (await Promise.all(CLUSTER_KINDS.map(read))).flatMap(({ clusters }) => clusters)
  },
})

export const clusterQuery = (clusterId: string) => ({
  ...readQuery<ClusterDetail>([...CLUSTERS_KEY, 'detail', clusterId], pathOf(clusterId)),
  ...REFETCH,
})

/** The cluster of a trace among those of all requests; none if it is in none. */
export const clusterOfTraceQuery = (traceId: string) => ({
  ...readQuery<ClusterList>([...CLUSTERS_KEY, 'of-trace', traceId], '/v1/clusters', { trace_id: traceId }),
  staleTime: 60_000,
  retry: false,
})

/** What belongs to the run that was computed at that time. Shows that of the previous run while it loads. */
const ofRun = (computedAt: string | null) =>
  ({ enabled: computedAt !== null, placeholderData: keepPreviousData, staleTime: Infinity }) as const

export const clusterMapQuery = (set: ClusterSet, computedAt: string | null) => ({
  ...readQuery<ClusterMap>([...CLUSTERS_KEY, 'map', set, computedAt], '/v1/clusters/map', {
    ...set,
    limit: MAP_POINTS.most,
  }),
  ...ofRun(computedAt),
})

/** All stored runs, newest first, up to the one that was computed at that time. */
export const clusterRunsQuery = (set: ClusterSet, computedAt: string | null) =>
  queryOptions({
    queryKey: [...CLUSTERS_KEY, 'runs', set, computedAt],
    ...ofRun(computedAt),
    queryFn: async ({ signal }) =>
      (await request<ClusterRunList>('/v1/clusters/runs', { query: { ...set, limit: CLUSTER_RUNS_KEPT }, signal }))
        .runs,
  })

export const selectionsQuery = readQuery<ClusterSelectionList>(
  [...CLUSTERS_KEY, 'selections'],
  '/v1/clusters/selections',
)

export const deleteSelection = (id: string) => remove(`/v1/clusters/selections/${encodeURIComponent(id)}`)

export const renameCluster = (clusterId: string, body: ClusterPatch) => patch<ClusterDetail>(pathOf(clusterId), body)

export const clusterScheduleQuery = (kind: ClusterKind) => ({
  ...readQuery<ClusterSchedule>([...CLUSTERS_KEY, 'schedule', kind], '/v1/clusters/schedule', { kind }),
  ...REFETCH,
})

export const setClusterSchedule = (body: ClusterScheduleBody) => put<ClusterSchedule>('/v1/clusters/schedule', body)

/** Resolves with the new job, or the one that is already queued or running. */
export const discoverClusters = (body: DiscoveryBody) => post<DiscoveryAccepted>('/v1/clusters/discover', body)

/** The latest discovery of any client; null before the first. Refetched often while it is running. */
export const newestDiscoveryQuery = (set: ClusterSet) =>
  queryOptions<DiscoveryJob | null>({
    queryKey: ['discovery', set],
    refetchInterval: ({ state }) => (isOpen(state.data) ? OPEN_JOB_REFETCH_MS : JOBS_REFETCH_MS),
    queryFn: async ({ signal }) =>
      (await request<DiscoveryJobList>('/v1/clusters/discover', { query: { ...set, limit: 1 }, signal })).jobs[0] ??
      null,
  })

export function isOpen(job: DiscoveryJob | null | undefined): boolean {
  return job?.status === 'queued' || job?.status === 'running'
}
