import type { SimilarTraces, TraceDivergence } from '@spoor/contract/schemas/traces/trace-divergence'
import type { ValueOrigins } from '@spoor/contract/schemas/traces/value-origins'
import type { FailurePatterns } from '@spoor/contract/schemas/traces/failure-patterns'
import type { VersionList } from '@spoor/contract/schemas/versions'
import { queryOptions } from '@tanstack/react-query'
import { feedPath, type FeedRequest, toBounds } from './client/feed.ts'
import { readQuery } from './client/queries.ts'
import { request } from './client/request.ts'

/** Successes may come while the trace is open, but a reader does not wait for them. */
const staleTime = 60_000

/** `failureBy`: null for that of the latest discovery. */
export const divergenceQuery = (traceId: string, failureBy: string | null = null) => ({
  ...readQuery<TraceDivergence>(['divergence', traceId, failureBy ?? ''], `/v1/traces/${traceId}/divergence`, {
    only_failed: true,
    failure_by: failureBy,
  }),
  staleTime,
})

export const similarQuery = (traceId: string) => ({
  ...readQuery<SimilarTraces>(['similar', traceId], `/v1/traces/${traceId}/similar`, { limit: 5 }),
  staleTime,
})

export const originsQuery = (traceId: string, stepId: string) => ({
  ...readQuery<ValueOrigins>(['origins', traceId, stepId], `/v1/traces/${traceId}/origins`, { step_id: stepId }),
  staleTime,
})

/** `failureBy`: null for that of the latest discovery. */
export const versionsQuery = (failureBy: string | null) => ({
  ...readQuery<VersionList>(['versions', failureBy ?? ''], '/v1/versions', { failure_by: failureBy }),
  staleTime,
})

/** The clearest one of a cluster. */
export const clusterPatternQuery = (clusterId: string) => ({
  ...readQuery<FailurePatterns>(['patterns', clusterId], `/v1/clusters/${clusterId}/patterns`, { limit: 1 }),
  staleTime,
})

/** Of the traces of a list, whatever its order is. `failureBy`: null for that of the latest discovery. */
export const patternsQuery = ({ filters, metadata, range }: FeedRequest, failureBy: string | null) =>
  queryOptions({
    queryKey: ['patterns', filters, metadata, range, failureBy],
    queryFn({ signal }) {
      const more = { sort: undefined, order: undefined, failure_by: failureBy, ...toBounds(range) }
      return request<FailurePatterns>(feedPath('/v1/patterns', { filters, metadata }, more), { signal })
    },
    staleTime,
  })
