import type { ClusterScheduleBody, DiscoveryBody } from './generated/api-types.ts'
import type { Call, Query } from './call.ts'

export function clusterRequests(call: Call) {
  return {
    list: () => call('listClusters', {}),
    get: (id: string) => call('readCluster', { path: { id } }),
    /** Starts a discovery. While one runs, the answer is that one's id. */
    discover: (body: DiscoveryBody = {}) => call('discoverClusters', { body }, { repeatable: true }),
    discoveries: (query?: Query<'listDiscoveries'>) => call('listDiscoveries', { query: query ?? {} }),
    discovery: (job_id: string) => call('readDiscovery', { path: { job_id } }),
    map: (query?: Query<'readClusterMap'>) => call('readClusterMap', { query: query ?? {} }),
    runs: (query?: Query<'listClusterRuns'>) => call('listClusterRuns', { query: query ?? {} }),
    schedule: () => call('readClusterSchedule', {}),
    setSchedule: (body: ClusterScheduleBody) => call('setClusterSchedule', { body }),
  }
}
