import type { TracePatch } from '@spoor/contract/schemas/traces/trace-patch'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { queryOptions } from '@tanstack/react-query'
import { request, send } from './client/request.ts'

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
export function traceRowQuery(traceId: string) {
  return queryOptions({
    queryKey: ['trace-row', traceId],
    staleTime: 60_000,
    queryFn: ({ signal }) => request<TraceRow>(`/v1/traces/${traceId}?include=`, { signal }),
  })
}

export function patchTrace(traceId: string, patch: TracePatch): Promise<TraceRow> {
  return request<TraceRow>(`/v1/traces/${traceId}`, { method: 'PATCH', body: patch })
}

export function deleteTrace(traceId: string): Promise<void> {
  return request(`/v1/traces/${traceId}`, { method: 'DELETE' })
}
