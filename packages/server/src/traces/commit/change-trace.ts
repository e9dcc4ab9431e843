import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { CommitBatch } from './commit-batch.ts'
import { planPatch } from './plan/change.ts'
import { planDelete } from './plan/delete.ts'
import type { CommitOperation, GroupCommitter } from './group-committer.ts'
import type { TraceCache } from './trace-cache.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { TracePatch } from '../use-cases.ts'

export interface ChangeTraceDependencies {
  readonly committer: Pick<GroupCommitter, 'submit'>
  readonly cache: Pick<TraceCache, 'hold' | 'release'>
}

/** Approximate memory that a waiting change holds, bytes. */
const CHANGE_BYTES = 2048
const FREES_SPACE = { freesSpace: true } as const

/**
 * Sets the status, the flag or the reason of a trace. A request that makes it failed or flagged writes one
 * `trace.flagged` to the journal. Throws DomainError `not_found`, and `validation_failed` for a reason that cannot be
 * stored.
 */
export async function patchTrace(
  dependencies: ChangeTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  change: TracePatch,
): Promise<TraceRecord> {
  refuseBrokenUnicode(change.reason)
  const changed = await withTrace(dependencies, projectId, traceId, (batch) => planPatch(batch, traceId, change))
  if (changed === null) throw traceNotFound(traceId)
  return changed
}

/** When it resolves, no read returns the trace. Its bytes leave the disk later. */
export async function deleteTrace(
  dependencies: ChangeTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
): Promise<void> {
  const deleted = await withTrace(dependencies, projectId, traceId, (batch) => planDelete(batch, traceId), FREES_SPACE)
  if (!deleted) throw traceNotFound(traceId)
}

async function withTrace<T>(
  { committer, cache }: ChangeTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  apply: (batch: CommitBatch) => T,
  kind: Pick<CommitOperation<T>, 'freesSpace'> = {},
): Promise<T> {
  const held = await cache.hold(projectId, traceId)
  if (held === null) throw traceNotFound(traceId)
  try {
    return await committer.submit({ owner: projectId, bytes: CHANGE_BYTES + held.metadata.length, apply, ...kind })
  } finally {
    cache.release(traceId)
  }
}

/**
 * A lone surrogate has no UTF-8 form. The engine would reject the row, and with it every commit that shares the insert.
 */
function refuseBrokenUnicode(reason: string | null): void {
  if (reason === null || reason.isWellFormed()) return
  const detail = 'The reason must be valid Unicode, without lone surrogates.'
  throw invalid({ pointer: '/reason', code: 'invalid_value', detail })
}

export function traceNotFound(traceId: string): DomainError {
  return new DomainError('not_found', `There is no trace ${traceId} in this project.`)
}
