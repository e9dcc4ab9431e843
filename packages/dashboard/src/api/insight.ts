import type { SimilarTraces, TraceDivergence } from '@spoor/contract/schemas/traces/trace-divergence'
import type { ValueOrigins } from '@spoor/contract/schemas/traces/value-origins'
import { readQuery } from './client/queries.ts'

/** Successes may come while the trace is open, but a reader does not wait for them. */
const staleTime = 60_000

export const divergenceQuery = (traceId: string) => ({
  ...readQuery<TraceDivergence>(['divergence', traceId], `/v1/traces/${traceId}/divergence`, { only_failed: true }),
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
