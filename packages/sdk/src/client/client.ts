import type {
  MonitorCreate,
  MonitorPatch,
  MonitorPreview,
  ClusterScheduleBody,
  DiscoveryBody,
} from './generated/api-types.ts'
import { type Call, type Query, callOver } from './call.ts'
import { type ClientOptions, Connection } from './connection.ts'
import { mediaRequests } from './media-requests.ts'
import { metricRequests, priceRequests } from './metric-requests.ts'
import { stepRequests, traceRequests } from './trace-requests.ts'
import { webhookRequests } from './webhook-requests.ts'

export { ApiError } from './api-error.ts'
export type * from './generated/api-types.ts'
export type { Answer, Call, CallOptions, Input, Query } from './call.ts'
export type { ClientOptions } from './connection.ts'
export type { OperationId, Operations } from './generated/operations.ts'
export type { TailEvent, TailOptions } from './tail.ts'

export type Client = ReturnType<typeof createClient>

/**
 * A client of the whole API, with one key.
 *
 * @throws TypeError without a URL or key
 */
export function createClient(options: ClientOptions = {}) {
  const connection = new Connection(options)
  const call = callOver(connection)
  return {
    /** Any operation by its name in the OpenAPI document, also operations without a method below. */
    call,
    traces: traceRequests(call, connection),
    steps: stepRequests(call),
    media: mediaRequests(call, connection),
    metrics: metricRequests(call),
    prices: priceRequests(call),
    monitors: monitorRequests(call),
    clusters: clusterRequests(call),
    webhooks: (projectId: string) => webhookRequests(call, projectId),
  }
}

function clusterRequests(call: Call) {
  return {
    list: (query?: Query<'listClusters'>) => call('listClusters', { query: query ?? {} }),
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

function monitorRequests(call: Call) {
  return {
    create: (body: MonitorCreate) => call('createMonitor', { body }),
    list: (query?: Query<'listMonitors'>) => call('listMonitors', { query: query ?? {} }),
    get: (id: string) => call('readMonitor', { path: { id } }),
    update: (id: string, body: MonitorPatch) => call('patchMonitor', { path: { id }, body }),
    delete: (id: string) => call('deleteMonitor', { path: { id } }),
    history: (id: string, query?: Query<'readMonitorHistory'>) =>
      call('readMonitorHistory', { path: { id }, query: query ?? {} }),
    /** The changes of state that the monitor would have had in the past. */
    preview: (body: MonitorPreview) => call('previewMonitor', { body }, { repeatable: true }),
  }
}
