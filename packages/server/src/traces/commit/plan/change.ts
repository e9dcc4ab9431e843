import type { TraceId } from '@spoor/contract/ids'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { TracePatch } from '../../use-cases.ts'
import type { CommitBatch } from '../commit-batch.ts'
import { withStatus } from '../../rules/rollup.ts'

/** Writes a change. If it makes the trace failed or flagged, it adds one `trace.flagged` for the operation. */
export function change(
  batch: CommitBatch,
  before: TraceRecord,
  after: TraceRecord,
  reason: string | null,
): TraceRecord {
  const { version, now } = batch.context
  const failed = becameFailed(before, after)
  if (failed || (!before.flagged && after.flagged)) {
    batch.emit(before.projectId, { type: 'trace.flagged', traceId: before.id, reason })
  }
  const updatedAt = before.version < version ? now : before.updatedAt
  return batch.put(before, { ...after, flagged: failed || after.flagged, updatedAt })
}

/** The changed trace, or null when it is deleted. */
export function planPatch(batch: CommitBatch, traceId: TraceId, patch: TracePatch): TraceRecord | null {
  const before = batch.latest(traceId)
  if (before.deleted) return null
  const reason = patch.reason === '' ? null : patch.reason
  const marked = withStatus({ ...before, ownStatus: patch.status ?? before.ownStatus })
  const flagged = (patch.flagged ?? before.flagged) || becameFailed(before, marked)
  return change(
    batch,
    before,
    { ...marked, flagged, flagReason: !flagged ? null : patch.reason === null ? before.flagReason : reason },
    reason,
  )
}

export function becameFailed(before: TraceRecord, after: TraceRecord): boolean {
  return before.status === 'ok' && after.status === 'error'
}
