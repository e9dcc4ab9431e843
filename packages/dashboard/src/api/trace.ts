import type { TracePatch } from '@spoor/contract/schemas/traces/trace-patch'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { queryOptions } from '@tanstack/react-query'
import { request, send } from './client/request.ts'

/** One whole trace, its body still to come: it may be tens of megabytes. */
export function openTrace(traceId: string, signal: AbortSignal): Promise<Response> {
  return send(`/v1/traces/${traceId}`, { signal })
}

/** A page of its steps as the bytes of the answer; `cursor` null is the first. */
export async function readStepPage(traceId: string, cursor: string | null, signal: AbortSignal): Promise<Uint8Array> {
  const response = await send(`/v1/traces/${traceId}/steps`, { query: { cursor, limit: 1000 }, signal })
  return new Uint8Array(await response.arrayBuffer())
}

/** The feed's row of one trace, without its steps, of which it may have megabytes. */
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
