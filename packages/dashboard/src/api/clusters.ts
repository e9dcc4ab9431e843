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
import { readQuery } from './client/queries.ts'
import { patch, post, put, request } from './client/request.ts'

/** New traces are assigned to clusters when these are read, and a scheduled run may start at any time. */
const REFETCH = { refetchInterval: 30_000 }
/** Other clients start discoveries, too. */
const JOBS_REFETCH_MS = 5000
const OPEN_JOB_REFETCH_MS = 400

/** Key prefix of all cluster queries, to invalidate them together. */
export const CLUSTERS_KEY = ['clusters']

const pathOf = (clusterId: string) => `/v1/clusters/${encodeURIComponent(clusterId)}`

export const clustersQuery = { ...readQuery<ClusterList>([...CLUSTERS_KEY, 'list'], '/v1/clusters'), ...REFETCH }

/** The part of the list that a filter needs. */
export const clusterNamesQuery = {
  ...readQuery<ClusterList>(['cluster-names'], '/v1/clusters'),
  staleTime: 60_000,
  select: ({ clusters }: ClusterList) => clusters,
}

export const clusterQuery = (clusterId: string) => ({
  ...readQuery<ClusterDetail>([...CLUSTERS_KEY, 'detail', clusterId], pathOf(clusterId)),
  ...REFETCH,
})

/** What belongs to the run that was computed at that time. Shows that of the previous run while it loads. */
const ofRun = (computedAt: string | null) =>
  ({ enabled: computedAt !== null, placeholderData: keepPreviousData, staleTime: Infinity }) as const

export const clusterMapQuery = (computedAt: string | null) => ({
  ...readQuery<ClusterMap>([...CLUSTERS_KEY, 'map', computedAt], '/v1/clusters/map', { limit: MAP_POINTS.most }),
  ...ofRun(computedAt),
})

/** All stored runs, newest first, up to the one that was computed at that time. */
export const clusterRunsQuery = (computedAt: string | null) =>
  queryOptions({
    queryKey: [...CLUSTERS_KEY, 'runs', computedAt],
    ...ofRun(computedAt),
    queryFn: async ({ signal }) =>
      (await request<ClusterRunList>('/v1/clusters/runs', { query: { limit: CLUSTER_RUNS_KEPT }, signal })).runs,
  })

export const renameCluster = (clusterId: string, body: ClusterPatch) => patch<ClusterDetail>(pathOf(clusterId), body)

export const clusterScheduleQuery = {
  ...readQuery<ClusterSchedule>([...CLUSTERS_KEY, 'schedule'], '/v1/clusters/schedule'),
  ...REFETCH,
}

export const setClusterSchedule = (body: ClusterScheduleBody) => put<ClusterSchedule>('/v1/clusters/schedule', body)

/** Resolves with the new job, or the one that is already queued or running. */
export const discoverClusters = (body: DiscoveryBody) => post<DiscoveryAccepted>('/v1/clusters/discover', body)

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
