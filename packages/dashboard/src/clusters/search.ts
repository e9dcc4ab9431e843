export type ClusterSearch = Readonly<Record<string, never>>

/** What the URL says about the screen; what it cannot mean is left out. */
export function clusterSearch(_raw: Record<string, unknown>): ClusterSearch {
  return {}
}
