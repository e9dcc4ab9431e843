import type {
  Monitor,
  MonitorCreate,
  MonitorHistory,
  MonitorPatch,
  MonitorPreview,
  MonitorPreviewResult,
} from '@spoor/contract/schemas/monitor'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { listAll } from './client/list-all.ts'
import { request } from './client/request.ts'

/** Monitors are evaluated every few seconds. */
const REFETCH_MS = 10_000

/** All monitors, oldest first. */
export const monitorsQuery = queryOptions({
  queryKey: ['monitors'],
  refetchInterval: REFETCH_MS,
  queryFn: ({ signal }) => listAll<Monitor>('/v1/monitors', 'monitors', signal),
})

export function monitorQuery(id: string) {
  return queryOptions({
    queryKey: ['monitors', id],
    refetchInterval: REFETCH_MS,
    queryFn: ({ signal }) => request<Monitor>(`/v1/monitors/${id}`, { signal }),
  })
}

/** State changes, newest first, page by page. */
export function monitorHistoryQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: ['monitors', id, 'history'],
    refetchInterval: 3 * REFETCH_MS,
    queryFn: ({ pageParam, signal }) =>
      request<MonitorHistory>(`/v1/monitors/${id}/history`, { query: { limit: 100, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}

export function createMonitor(body: MonitorCreate): Promise<Monitor> {
  return request<Monitor>('/v1/monitors', { method: 'POST', body })
}

export function changeMonitor(id: string, body: MonitorPatch): Promise<Monitor> {
  return request<Monitor>(`/v1/monitors/${id}`, { method: 'PATCH', body })
}

export function deleteMonitor(id: string): Promise<void> {
  return request(`/v1/monitors/${id}`, { method: 'DELETE' })
}

/** Evaluates a draft over the past; needs scopes to read and to manage. */
export function previewMonitor(body: MonitorPreview, signal: AbortSignal): Promise<MonitorPreviewResult> {
  return request<MonitorPreviewResult>('/v1/monitors/preview', { method: 'POST', body, signal })
}
