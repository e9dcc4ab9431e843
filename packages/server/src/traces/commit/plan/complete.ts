import type { TraceId } from '@spoor/contract/ids'
import { hasRoot } from '../../../ports/traces/trace-record.ts'
import type { CommitBatch } from '../commit-batch.ts'
import { isUndecided, withStatus } from '../../rules/rollup.ts'
import { becameFailed } from './change.ts'

/**
 * Completes a growing trace with a root that no commit after `version` has changed. If no end of a root says how the
 * run ended, failed steps do. False when there is nothing to complete, or not yet.
 */
export function planComplete(batch: CommitBatch, traceId: TraceId, version: number): boolean {
  const before = batch.latest(traceId)
  const { projectId, spans } = before
  if (before.version > version) return false
  batch.waitEnds.push({ projectId, traceId, waits: false })
  if (before.deleted || !before.growing) return false
  const isRooted = hasRoot(before)
  const givenUp = spans !== null && isUndecided(before) ? { ...spans, isGivenUp: true as const } : spans
  const after = withStatus({ ...before, growing: !isRooted, spans: givenUp })
  const failed = becameFailed(before, after)
  if (failed) batch.emit(projectId, { type: 'trace.flagged', traceId, reason: null })
  if (isRooted) batch.emit(projectId, { type: 'trace.completed', traceId })
  batch.put(before, { ...after, flagged: failed || before.flagged })
  return true
}
