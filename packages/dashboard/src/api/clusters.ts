import { CLUSTER_RUNS_KEPT, MAP_POINTS } from '@spoor/contract/limits'
import type {
  ClusterDetail,
  ClusterList,
  ClusterMap,
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

/** Traces that come are put to clusters every 15 s; runs of a schedule begin at any time. */
const LOOKED_AT_MS = 30_000
/** Others begin discoveries, too. */
const JOBS_LOOKED_AT_MS = 5000
const OPEN_JOB_LOOKED_AT_MS = 400

/** What all queries of clusters begin with, so that they can be asked anew together. */
export const CLUSTERS_KEY = ['clusters']

export const clustersQuery = queryOptions({
  queryKey: [...CLUSTERS_KEY, 'list'],
  refetchInterval: LOOKED_AT_MS,
  queryFn: ({ signal }) => request<ClusterList>('/v1/clusters', { signal }),
})

export function clusterQuery(clusterId: string) {
  return queryOptions({
    queryKey: [...CLUSTERS_KEY, 'detail', clusterId],
    refetchInterval: LOOKED_AT_MS,
    queryFn: ({ signal }) => request<ClusterDetail>(`/v1/clusters/${encodeURIComponent(clusterId)}`, { signal }),
  })
}

/** The map of the run that was computed then; the one before is shown while it comes. */
export function clusterMapQuery(computedAt: string | null) {
  return queryOptions({
    queryKey: [...CLUSTERS_KEY, 'map', computedAt],
    enabled: computedAt !== null,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    queryFn: ({ signal }) => request<ClusterMap>('/v1/clusters/map', { query: { limit: MAP_POINTS.most }, signal }),
  })
}

/** All runs that are kept, newest first, as of the one that was computed then. */
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

export const clusterScheduleQuery = queryOptions({
  queryKey: [...CLUSTERS_KEY, 'schedule'],
  refetchInterval: LOOKED_AT_MS,
  queryFn: ({ signal }) => request<ClusterSchedule>('/v1/clusters/schedule', { signal }),
})

export function setClusterSchedule(body: ClusterScheduleBody): Promise<ClusterSchedule> {
  return request<ClusterSchedule>('/v1/clusters/schedule', { method: 'PUT', body })
}

/** The new job, or the one that waits or runs already. */
export function discoverClusters(body: DiscoveryBody): Promise<DiscoveryAccepted> {
  return request<DiscoveryAccepted>('/v1/clusters/discover', { method: 'POST', body })
}

/**
 * The discovery that was asked for last, whoever did; null before the first. Asked again and again while it is under
 * way.
 */
export const newestDiscoveryQuery = queryOptions<DiscoveryJob | null>({
  queryKey: ['discovery'],
  refetchInterval: ({ state }) => (isOpen(state.data) ? OPEN_JOB_LOOKED_AT_MS : JOBS_LOOKED_AT_MS),
  queryFn: async ({ signal }) =>
    (await request<DiscoveryJobList>('/v1/clusters/discover', { query: { limit: 1 }, signal })).jobs[0] ?? null,
})

export function isOpen(job: DiscoveryJob | null | undefined): boolean {
  return job?.status === 'queued' || job?.status === 'running'
}
