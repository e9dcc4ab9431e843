import type { TraceId } from '@spoor/contract/ids'
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

/** False when it is deleted already. `restorableUntil`: the version keeps its content; null: it cannot be restored. */
export function planDelete(batch: CommitBatch, traceId: TraceId, restorableUntil: number | null = null): boolean {
  const before = batch.latest(traceId)
  if (before.deleted) return false
  const { projectId } = before
  batch.put(before, { ...before, ...(restorableUntil === null ? NO_CONTENT : {}), deleted: true })
  batch.deleted.push({ projectId, traceId, ...(restorableUntil === null ? {} : { restorableUntil }) })
  if (before.growing) batch.waitEnds.push({ projectId, traceId, waits: false })
  return true
}

/** The trace as it was before its deletion, which MUST be one that can be undone. */
export function planRestore(batch: CommitBatch, traceId: TraceId): TraceRecord {
  const before = batch.latest(traceId)
  if (!before.deleted) return before
  batch.deleted.push({ projectId: before.projectId, traceId, restored: true })
  return batch.put(before, { ...before, deleted: false })
}
