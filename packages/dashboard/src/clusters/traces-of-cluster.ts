import type { FeedSearch } from '../traces/search.ts'

/** The feed's search that shows the traces of a cluster. */
export function tracesOfCluster(clusterId: string): FeedSearch {
  const search: { readonly cluster: string } = { cluster: clusterId }
  return search as unknown as FeedSearch
}
