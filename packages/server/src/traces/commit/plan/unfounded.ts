import type { TraceId } from '@spoor/contract/ids'
import type { UnfoundedValue } from '../../../ports/traces/trace-record.ts'
import type { CommitBatch } from '../commit-batch.ts'

/** Values from nowhere of this version of a complete trace. False if it has changed: it is searched again then. */
export function planUnfounded(
  batch: CommitBatch,
  traceId: TraceId,
  version: number,
  unfounded: readonly UnfoundedValue[],
): boolean {
  const before = batch.latest(traceId)
  if (before.deleted || before.growing || before.version !== version) return false
  const { digest } = before
  batch.put(before, { ...before, digest: { ...digest, calls: { ...digest.calls, unfounded } } })
  return true
}
