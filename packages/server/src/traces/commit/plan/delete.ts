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

/** False when it is deleted already. */
export function planDelete(batch: CommitBatch, traceId: TraceId): boolean {
  const before = batch.latest(traceId)
  if (before.deleted) return false
  const { projectId } = before
  batch.put(before, { ...before, ...NO_CONTENT, deleted: true })
  batch.deleted.push({ projectId, traceId })
  if (before.growing) batch.waitEnds.push({ projectId, traceId, waits: false })
  return true
}
