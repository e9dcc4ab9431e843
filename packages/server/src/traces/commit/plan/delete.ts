import type { TraceId } from '@spoor/contract/ids'
import type { DeletedTrace } from '../../../ports/journal/journal.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { CommitBatch } from '../commit-batch.ts'
import { EMPTY_DIGEST } from '../../rules/trace-digest.ts'

/** The content of a tombstone. It is small, because a deletion must fit on a full disk. */
const NO_CONTENT = {
  name: '',
  metadata: Buffer.from('{}'),
  sessionId: null,
  userId: null,
  flagReason: null,
  models: [],
  digest: EMPTY_DIGEST,
} as const satisfies Partial<TraceRecord>

/** A version that can be restored keeps its content. */
export type PlannedDeletion = Pick<DeletedTrace, 'restorableUntil' | 'isExpired'>

/** False when it is deleted already. */
export function planDelete(batch: CommitBatch, traceId: TraceId, deletion: PlannedDeletion = {}): boolean {
  const before = batch.latest(traceId)
  if (before.deleted) return false
  const { projectId } = before
  const content = deletion.restorableUntil === undefined ? NO_CONTENT : {}
  batch.put(before, { ...before, ...content, deleted: deletion.isExpired === true ? 'expired' : true })
  batch.deleted.push({ projectId, traceId, ...deletion })
  if (before.growing) batch.waitEnds.push({ projectId, traceId, waits: false })
  return true
}

/** Makes a deletion that can be undone final; false if the latest version is not deleted, or is not wanted. */
export function planFinalDeletion(
  batch: CommitBatch,
  traceId: TraceId,
  isWanted: (trace: TraceRecord) => boolean,
): boolean {
  const before = batch.latest(traceId)
  if (!before.deleted || !isWanted(before)) return false
  planRestore(batch, traceId)
  return planDelete(batch, traceId)
}

/** The trace as it was before its deletion, which MUST be one that can be undone. */
export function planRestore(batch: CommitBatch, traceId: TraceId): TraceRecord {
  const before = batch.latest(traceId)
  if (!before.deleted) return before
  batch.deleted.push({ projectId: before.projectId, traceId, restored: true })
  return batch.put(before, { ...before, deleted: false })
}
