import { queryOptions } from '@tanstack/react-query'
import type { TracePatch } from '@spoor/contract/schemas/traces/trace-patch'
import type { TraceComparison } from '@spoor/contract/schemas/traces/trace-comparison'
import type { TraceFeed, TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import type { FeedQuery } from '@spoor/contract/schemas/traces/feed-query'
import { ApiError, asApiError } from './client/api-error.ts'
import { readQuery, pagesQuery } from './client/queries.ts'
import { patch, pathOf, post, remove, request, send } from './client/request.ts'

/** One trace as a response whose body is not read yet: it may be tens of megabytes. */
export function openTrace(traceId: string, signal: AbortSignal): Promise<Response> {
  return send(`/v1/traces/${traceId}`, { signal })
}

/** A page of its steps as bytes; `cursor` null is the first page. */
export async function readStepPage(traceId: string, cursor: string | null, signal: AbortSignal): Promise<Uint8Array> {
  const response = await send(`/v1/traces/${traceId}/steps`, { query: { cursor, limit: 1000 }, signal })
  return new Uint8Array(await response.arrayBuffer())
}

/** The list row of one trace, without its steps. */
export const traceRowQuery = (traceId: string) => ({
  ...readQuery<TraceRow>(['trace-row', traceId], `/v1/traces/${traceId}?include=`),
  staleTime: 60_000,
})

export interface MarkedTrace extends TraceRow {
  readonly flag_reason: string | null
}

/** The list row of one trace, with the reason of its flag, which comes with any part. */
export const readMarkedTrace = (traceId: string) =>
  request<MarkedTrace>(`/v1/traces/${traceId}?include=attachments`).catch((error: unknown) => {
    throw asApiError(error).status === 0 ? new ApiError(0, { detail: UNCHANGED }) : error
  })

const UNCHANGED = 'Spoor cannot be reached. It may be restarting. Nothing was changed: try again.'

/** Whether the project has any traces. */
export const hasTracesQuery = queryOptions({
  queryKey: ['has-traces'],
  queryFn: async ({ signal }) => {
    const { traces } = await request<TraceFeed>('/v1/traces', { query: { limit: 1 }, signal })
    return traces.length > 0
  },
})

export const comparisonQuery = (left: string, right: string) => ({
  ...readQuery<TraceComparison>(['comparison', left, right], '/v1/traces/compare', { left, right }),
  staleTime: 60_000,
})

/** The newest successful trace of this name but this one; null if there is none. */
export async function lastSuccess({ id, name }: Pick<TraceRow, 'id' | 'name'>): Promise<string | null> {
  const { traces } = await request<TraceFeed>('/v1/traces', { query: { name, status: 'ok', limit: 2 } })
  return traces.find((trace) => trace.id !== id)?.id ?? null
}

export const patchTrace = (traceId: string, body: TracePatch) => patch<TraceRow>(`/v1/traces/${traceId}`, body)

/** How long a deletion can be undone. */
export const UNDO_SECONDS = 20

/** It can be restored for so many seconds. */
export const deleteTrace = (traceId: string, seconds: number) =>
  remove(pathOf(`/v1/traces/${traceId}`, { grace_seconds: seconds }))
export const restoreTrace = (traceId: string) => post<TraceRow>(`/v1/traces/${traceId}/restore`)

export const traceListQuery = (filters: Omit<FeedQuery, 'argument' | 'not_argument'>) =>
  pagesQuery<TraceFeed>(['trace-list', filters], '/v1/traces', { limit: 50, ...filters })
