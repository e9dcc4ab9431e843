import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { Masking } from '@spoor/contract/schemas/masking'
import { DomainError } from '../../lib/domain-error.ts'
import { compileMasking, ignoreHit } from '../../lib/masking/masker.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Journal } from '../../ports/journal/journal.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { CommitBatch } from './commit-batch.ts'
import { planPatch } from './plan/change.ts'
import { planDelete, planFinalDeletion, type PlannedDeletion, planRestore } from './plan/delete.ts'
import { planUnfounded } from './plan/unfounded.ts'
import type { CommitOperation, GroupCommitter } from './group-committer.ts'
import type { TraceCache } from './trace-cache.ts'
import type { TraceRecord, UnfoundedValue } from '../../ports/traces/trace-record.ts'
import type { TraceDeletion, TracePatch } from '../use-cases.ts'

export interface ChangeTraceDependencies {
  readonly committer: Pick<GroupCommitter, 'submit'>
  readonly cache: Pick<TraceCache, 'hold' | 'release'>
  readonly clock: Clock
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
  dependencies: ChangeTraceDependencies & { readonly maskingOf: (projectId: ProjectId) => Promise<Masking | null> },
  projectId: ProjectId,
  traceId: TraceId,
  sent: TracePatch,
): Promise<TraceRecord> {
  refuseBrokenUnicode(sent.reason)
  const masker = await compileMasking(await dependencies.maskingOf(projectId))
  const reason = sent.reason && (masker?.text(sent.reason, 'reason', ignoreHit) ?? sent.reason)
  const change = { ...sent, reason }
  const changed = await withTrace(dependencies, projectId, traceId, (batch) => planPatch(batch, traceId, change))
  if (changed === null) throw traceNotFound(traceId)
  return changed
}

/** See planUnfounded. Throws DomainError `not_found`. */
export function writeUnfounded(
  dependencies: ChangeTraceDependencies,
  { projectId, id, version }: Pick<TraceRecord, 'projectId' | 'id' | 'version'>,
  values: readonly UnfoundedValue[],
): Promise<boolean> {
  return withTrace(dependencies, projectId, id, (batch) => planUnfounded(batch, id, version, values))
}

/**
 * When it resolves, no read returns the trace. Its bytes leave the disk later; with `graceMs` not before that time. An
 * expired trace leaves the numbers of its metric events in series.
 */
export async function deleteTrace(
  dependencies: ChangeTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  { graceMs = 0, isExpired = false }: TraceDeletion = {},
): Promise<void> {
  const deletion: PlannedDeletion = {
    ...(graceMs > 0 && { restorableUntil: dependencies.clock.now() + graceMs }),
    ...(isExpired && { isExpired }),
  }
  const plan = (batch: CommitBatch) => planDelete(batch, traceId, deletion)
  if (!(await withTrace(dependencies, projectId, traceId, plan, FREES_SPACE))) throw traceNotFound(traceId)
}

/** Undoes a deletion in its time of grace. Throws DomainError `not_found` after it, and without one. */
export async function restoreTrace(
  dependencies: RestorableDependencies,
  projectId: ProjectId,
  traceId: TraceId,
): Promise<TraceRecord> {
  const until = await dependencies.journal.restorableUntil(traceId)
  if (until === null || until < dependencies.clock.now()) throw traceNotFound(traceId)
  return withTrace(dependencies, projectId, traceId, (batch) => planRestore(batch, traceId), { toRestore: true })
}

/** A deleted trace whose rows are there, because its deletion could be undone; null if there is none. */
export async function findRestorable(
  { journal, cache }: RestorableDependencies,
  projectId: ProjectId,
  traceId: TraceId,
): Promise<TraceRecord | null> {
  if ((await journal.restorableUntil(traceId)) === null) return null
  const found = await cache.hold(projectId, traceId, true)
  if (found !== null) cache.release(traceId)
  return found?.deleted === false ? null : found
}

/**
 * Makes a deletion that can be undone final. A trace that is not deleted, or that `isWanted` refuses, stays as it is.
 * Throws DomainError `not_found` without the trace.
 */
export async function deleteForGood(
  dependencies: ChangeTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  isWanted: (trace: TraceRecord) => boolean,
): Promise<void> {
  const plan = (batch: CommitBatch) => planFinalDeletion(batch, traceId, isWanted)
  await withTrace(dependencies, projectId, traceId, plan, { toRestore: true, ...FREES_SPACE })
}

type RestorableDependencies = ChangeTraceDependencies & { readonly journal: Pick<Journal, 'restorableUntil'> }

async function withTrace<T>(
  { committer, cache }: ChangeTraceDependencies,
  projectId: ProjectId,
  traceId: TraceId,
  apply: (batch: CommitBatch) => T,
  { toRestore = false, ...kind }: Pick<CommitOperation<T>, 'freesSpace'> & { readonly toRestore?: boolean } = {},
): Promise<T> {
  const held = await cache.hold(projectId, traceId, toRestore)
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
export function refuseBrokenUnicode(reason: string | null, pointer = '/reason'): void {
  if (reason === null || reason.isWellFormed()) return
  const detail = 'The reason must be valid Unicode, without lone surrogates.'
  throw invalid({ pointer, code: 'invalid_value', detail })
}

export function traceNotFound(traceId: string): DomainError {
  return new DomainError('not_found', `There is no trace ${traceId} in this project.`)
}
