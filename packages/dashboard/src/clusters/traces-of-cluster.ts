import type { LinkProps, RegisteredRouter } from '@tanstack/react-router'

type FeedSearch = LinkProps<'a', RegisteredRouter, string, '/app/traces'>['search']

export function tracesOfCluster(clusterId: string): FeedSearch & object {
  const search: object = { cluster: clusterId, range: 'all' }
  return search as FeedSearch & object
}
