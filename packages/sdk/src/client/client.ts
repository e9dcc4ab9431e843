import { callOver } from './call.ts'
import { clusterRequests } from './cluster-requests.ts'
import { type ClientOptions, Connection } from './connection.ts'
import { mediaRequests } from './media-requests.ts'
import { metricRequests, priceRequests } from './metric-requests.ts'
import { monitorRequests } from './monitor-requests.ts'
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
