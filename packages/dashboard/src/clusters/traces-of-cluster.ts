import type { LinkProps, RegisteredRouter } from '@tanstack/react-router'

type FeedSearch = LinkProps<'a', RegisteredRouter, string, '/app/traces'>['search']

/** The feed's search that shows the traces of a cluster, as the API names it. */
export function tracesOfCluster(clusterId: string): FeedSearch & object {
  const search: object = { cluster: clusterId }
  return search as FeedSearch & object
}
