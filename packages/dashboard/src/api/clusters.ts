import { CLUSTER_RUNS_KEPT, MAP_POINTS } from '@spoor/contract/limits'
import type {
  ClusterDetail,
  ClusterList,
  ClusterMap,
  ClusterPatch,
  ClusterRunList,
  ClusterSchedule,
  ClusterScheduleBody,
  DiscoveryAccepted,
  DiscoveryBody,
  DiscoveryJob,
  DiscoveryJobList,
} from '@spoor/contract/schemas/cluster'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from './client/request.ts'

/** New traces are assigned to clusters when these are read, and a scheduled run may start at any time. */
const REFETCH_MS = 30_000
/** Other clients start discoveries, too. */
const JOBS_REFETCH_MS = 5000
const OPEN_JOB_REFETCH_MS = 400

/** Key prefix of all cluster queries, to invalidate them together. */
export const CLUSTERS_KEY = ['clusters']

export const clustersQuery = queryOptions({
  queryKey: [...CLUSTERS_KEY, 'list'],
  refetchInterval: REFETCH_MS,
  queryFn: ({ signal }) => request<ClusterList>('/v1/clusters', { signal }),
})

export function clusterQuery(clusterId: string) {
  return queryOptions({
    queryKey: [...CLUSTERS_KEY, 'detail', clusterId],
    refetchInterval: REFETCH_MS,
    queryFn: ({ signal }) => request<ClusterDetail>(`/v1/clusters/${encodeURIComponent(clusterId)}`, { signal }),
  })
}

/** The map of the run that was computed at that time. Shows the previous map while it loads. */
export function clusterMapQuery(computedAt: string | null) {
  return queryOptions({
    queryKey: [...CLUSTERS_KEY, 'map', computedAt],
    enabled: computedAt !== null,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    queryFn: ({ signal }) => request<ClusterMap>('/v1/clusters/map', { query: { limit: MAP_POINTS.most }, signal }),
  })
}

/** All stored runs, newest first, up to the one that was computed at that time. */
export function clusterRunsQuery(computedAt: string | null) {
  return queryOptions({
    queryKey: [...CLUSTERS_KEY, 'runs', computedAt],
    enabled: computedAt !== null,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    queryFn: async ({ signal }) =>
      (await request<ClusterRunList>('/v1/clusters/runs', { query: { limit: CLUSTER_RUNS_KEPT }, signal })).runs,
  })
}

export function renameCluster(clusterId: string, body: ClusterPatch): Promise<ClusterDetail> {
  return request<ClusterDetail>(`/v1/clusters/${encodeURIComponent(clusterId)}`, { method: 'PATCH', body })
}

export const clusterScheduleQuery = queryOptions({
  queryKey: [...CLUSTERS_KEY, 'schedule'],
  refetchInterval: REFETCH_MS,
  queryFn: ({ signal }) => request<ClusterSchedule>('/v1/clusters/schedule', { signal }),
})

export function setClusterSchedule(body: ClusterScheduleBody): Promise<ClusterSchedule> {
  return request<ClusterSchedule>('/v1/clusters/schedule', { method: 'PUT', body })
}

/** Resolves with the new job, or the one that is already queued or running. */
export function discoverClusters(body: DiscoveryBody): Promise<DiscoveryAccepted> {
  return request<DiscoveryAccepted>('/v1/clusters/discover', { method: 'POST', body })
}

/** The latest discovery of any client; null before the first. Refetched often while it is running. */
export const newestDiscoveryQuery = queryOptions<DiscoveryJob | null>({
  queryKey: ['discovery'],
  refetchInterval: ({ state }) => (isOpen(state.data) ? OPEN_JOB_REFETCH_MS : JOBS_REFETCH_MS),
  queryFn: async ({ signal }) =>
    (await request<DiscoveryJobList>('/v1/clusters/discover', { query: { limit: 1 }, signal })).jobs[0] ?? null,
})

export function isOpen(job: DiscoveryJob | null | undefined): boolean {
  return job?.status === 'queued' || job?.status === 'running'
}
