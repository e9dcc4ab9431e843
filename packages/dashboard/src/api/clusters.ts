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
  type DiscoveryAccepted,
  type DiscoveryBody,
  type DiscoveryJob,
  type DiscoveryJobList,
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

export const clustersQuery = (kind: ClusterKind) => ({
  ...readQuery<ClusterList>([...CLUSTERS_KEY, 'list', kind], '/v1/clusters', { kind }),
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

/** What belongs to the run that was computed at that time. Shows that of the previous run while it loads. */
const ofRun = (computedAt: string | null) =>
  ({ enabled: computedAt !== null, placeholderData: keepPreviousData, staleTime: Infinity }) as const

export const clusterMapQuery = (kind: ClusterKind, computedAt: string | null) => ({
  ...readQuery<ClusterMap>([...CLUSTERS_KEY, 'map', kind, computedAt], '/v1/clusters/map', {
    kind,
    limit: MAP_POINTS.most,
  }),
  ...ofRun(computedAt),
})

/** All stored runs, newest first, up to the one that was computed at that time. */
export const clusterRunsQuery = (kind: ClusterKind, computedAt: string | null) =>
  queryOptions({
    queryKey: [...CLUSTERS_KEY, 'runs', kind, computedAt],
    ...ofRun(computedAt),
    queryFn: async ({ signal }) =>
      (await request<ClusterRunList>('/v1/clusters/runs', { query: { kind, limit: CLUSTER_RUNS_KEPT }, signal })).runs,
  })

export const renameCluster = (clusterId: string, body: ClusterPatch) => patch<ClusterDetail>(pathOf(clusterId), body)

export const clusterScheduleQuery = (kind: ClusterKind) => ({
  ...readQuery<ClusterSchedule>([...CLUSTERS_KEY, 'schedule', kind], '/v1/clusters/schedule', { kind }),
  ...REFETCH,
})

export const setClusterSchedule = (body: ClusterScheduleBody) => put<ClusterSchedule>('/v1/clusters/schedule', body)

/** Resolves with the new job, or the one that is already queued or running. */
export const discoverClusters = (body: DiscoveryBody) => post<DiscoveryAccepted>('/v1/clusters/discover', body)

/** The latest discovery of any client; null before the first. Refetched often while it is running. */
export const newestDiscoveryQuery = (kind: ClusterKind) =>
  queryOptions<DiscoveryJob | null>({
    queryKey: ['discovery', kind],
    refetchInterval: ({ state }) => (isOpen(state.data) ? OPEN_JOB_REFETCH_MS : JOBS_REFETCH_MS),
    queryFn: async ({ signal }) =>
      (await request<DiscoveryJobList>('/v1/clusters/discover', { query: { kind, limit: 1 }, signal })).jobs[0] ?? null,
  })

export function isOpen(job: DiscoveryJob | null | undefined): boolean {
  return job?.status === 'queued' || job?.status === 'running'
}
