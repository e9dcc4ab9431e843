import type { TraceId } from '@spoor/contract/ids'
import { timeOfId } from '../../lib/ids/ids.ts'

/**
 * Ids of one commit are made while it is put together, some milliseconds after its time is taken. Only an id that is
 * further ahead of it was made behind an id from a clock that ran ahead, or before the clock stepped back.
 */
const COMMIT_SPAN_MS = 1000

/**
 * When a trace was created, milliseconds: the time of its id, unless ids run ahead of the clock; then the time of its
 * commit. Never later than the time of its id.
 */
export function creationTime(traceId: TraceId, committedAt: number): number {
  const ofId = timeOfId(traceId)
  return ofId - committedAt > COMMIT_SPAN_MS ? committedAt : ofId
}

/** By how much, at most, ids of a commit's traces are ahead of their creation, milliseconds. 0 for a healthy clock. */
export function idLeadOf(lastTraceId: TraceId | null, committedAt: number): number {
  return lastTraceId === null ? 0 : timeOfId(lastTraceId) - creationTime(lastTraceId, committedAt)
}
