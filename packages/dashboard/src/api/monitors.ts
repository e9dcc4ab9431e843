import type {
  Monitor,
  MonitorCreate,
  MonitorHistory,
  MonitorPatch,
  MonitorPreview,
  MonitorPreviewResult,
} from '@spoor/contract/schemas/monitor'
import { allQuery, pagesQuery, readQuery } from './client/queries.ts'
import { patch, post, remove, request } from './client/request.ts'

/** Monitors are evaluated every few seconds. */
const REFETCH_MS = 10_000

/** All monitors, oldest first. */
export const monitorsQuery = {
  ...allQuery<Monitor>(['monitors'], '/v1/monitors', 'monitors'),
  refetchInterval: REFETCH_MS,
}

export const monitorQuery = (id: string) => ({
  ...readQuery<Monitor>(['monitors', id], `/v1/monitors/${id}`),
  refetchInterval: REFETCH_MS,
})

/** State changes, newest first, page by page. */
export const monitorHistoryQuery = (id: string) => ({
  ...pagesQuery<MonitorHistory>(['monitors', id, 'history'], `/v1/monitors/${id}/history`, { limit: 100 }),
  refetchInterval: 3 * REFETCH_MS,
})

export const createMonitor = (body: MonitorCreate) => post<Monitor>('/v1/monitors', body)
export const changeMonitor = (id: string, body: MonitorPatch) => patch<Monitor>(`/v1/monitors/${id}`, body)
export const deleteMonitor = (id: string) => remove(`/v1/monitors/${id}`)

/** Evaluates a draft over the past; needs scopes to read and to manage. */
export const previewMonitor = (body: MonitorPreview, signal: AbortSignal) =>
  request<MonitorPreviewResult>('/v1/monitors/preview', { method: 'POST', body, signal })
