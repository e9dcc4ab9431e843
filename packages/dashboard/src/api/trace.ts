import type { TracePatch } from '@spoor/contract/schemas/trace-patch'
import type { TraceFeed, TraceRow } from '@spoor/contract/schemas/trace-row'
import { queryOptions } from '@tanstack/react-query'
import { request, send } from './request.ts'

/** One whole trace, its body still to come: it may be tens of megabytes. */
export function openTrace(traceId: string, signal: AbortSignal): Promise<Response> {
  return send(`/v1/traces/${traceId}`, { signal })
}

/** A page of its steps as the bytes of the answer; `cursor` null is the first. */
export async function readStepPage(traceId: string, cursor: string | null, signal: AbortSignal): Promise<Uint8Array> {
  const response = await send(`/v1/traces/${traceId}/steps`, { query: { cursor, limit: 1000 }, signal })
  return new Uint8Array(await response.arrayBuffer())
}

/** The feed's row of one trace: whether anything about it has changed, without its steps. Null when it is gone. */
export function traceRowQuery({ id, created_at }: Pick<TraceRow, 'id' | 'created_at'>) {
  return queryOptions({
    queryKey: ['trace-row', id],
    queryFn: async ({ signal }): Promise<TraceRow | null> => {
      const end = new Date(Date.parse(created_at) + 1).toISOString()
      const query = { start_time: created_at, end_time: end, limit: 1000 }
      const { traces } = await request<TraceFeed>('/v1/traces', { query, signal })
      return traces.find((row) => row.id === id) ?? null
    },
  })
}

export function patchTrace(traceId: string, patch: TracePatch): Promise<TraceRow> {
  return request<TraceRow>(`/v1/traces/${traceId}`, { method: 'PATCH', body: patch })
}

export function deleteTrace(traceId: string): Promise<void> {
  return request(`/v1/traces/${traceId}`, { method: 'DELETE' })
}
