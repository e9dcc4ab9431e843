import type { StepPlace } from '@spoor/contract/schemas/traces/step'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import type { TraceSessionList } from '@spoor/contract/schemas/traces/trace-summary'
import { ApiError } from './client/api-error.ts'
import { request } from './client/request.ts'

/** What a text may name. */
type NamedId = { readonly kind: 'trace' | 'step' | 'session'; readonly id: string }

export type Place =
  | { readonly kind: 'trace'; readonly traceId: string; readonly stepId?: string }
  | { readonly kind: 'session'; readonly sessionId: string }

const TRACE_ID = /^(tr_[0-9a-z]{26}|[0-9a-f]{32})$/i
const STEP_ID = /^st_[0-9a-z]{26}$/i
/** Senders choose ids of sessions. Most have a digit or a sign between words, and words of a search have none. */
const SESSION_ID = /^(?=\S*[\d_:-])\S{3,}$/

/** The id that a text may be; null for text to search for. */
export function idIn(text: string): NamedId | null {
  const id = text.trim()
  if (TRACE_ID.test(id)) return { kind: 'trace', id: id.toLowerCase() }
  if (STEP_ID.test(id)) return { kind: 'step', id: id.toLowerCase() }
  return SESSION_ID.test(id) ? { kind: 'session', id } : null
}

/** Where this id is; null if the project has none. Throws ApiError for other failures. */
export async function findPlace({ kind, id }: NamedId): Promise<Place | null> {
  try {
    if (kind === 'trace') {
      // A link has our own id, not that of OpenTelemetry.
      return { kind, traceId: (await request<TraceRow>(`/v1/traces/${id}?include=`)).id }
    }
    if (kind === 'step') {
      return { kind: 'trace', traceId: (await request<StepPlace>(`/v1/steps/${id}`)).trace_id, stepId: id }
    }
    const { sessions } = await request<TraceSessionList>('/v1/sessions', { query: { session_id: id, limit: 1 } })
    return sessions.length === 0 ? null : { kind, sessionId: id }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}
