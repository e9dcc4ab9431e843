import type { ClusterId } from '@spoor/contract/ids'
import type { FeedSearch } from '../traces/filters/search.ts'

export function tracesOfCluster(clusterId: string): FeedSearch {
  return { cluster: clusterId as ClusterId, range: 'all' }
}
