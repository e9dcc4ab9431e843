import { queryOptions } from '@tanstack/react-query'
import { request } from './client/request.ts'

/** The part of a cluster list that a filter needs. */
interface ClusterNames {
  readonly clusters: readonly { readonly id: string; readonly label: string; readonly size: number }[]
}

export const clusterNamesQuery = queryOptions({
  queryKey: ['cluster-names'],
  queryFn: async ({ signal }) => (await request<ClusterNames>('/v1/clusters', { signal })).clusters,
  staleTime: 60_000,
})
