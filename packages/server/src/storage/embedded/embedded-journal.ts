import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { CommitRecord, JournalRow, MetricEventKey, StepKey, TraceKey } from '../../ports/journal/journal.ts'

/** The last commit that the journal holds; `version` 0 and no trace on an empty store. */
interface LastCommit {
  readonly version: number
  /** The greatest trace id committed so far. */
  readonly lastTraceId: TraceId | null
}

/**
 * What the embedded log writes and looks up in SQLite. Synchronous: SQLite answers in microseconds, and no other work
 * of this process may run between the steps of a commit.
 */
export interface EmbeddedJournal {
  /**
   * Durable (fsync) when it returns, all or nothing. Returns the rows written, in order, one per element of `projects`;
   * an element without events gets a row that takes no position and is not stored. Throws if `version` is not above the
   * last one or a key exists already, and DomainError `disk_full` or `storage_unavailable` if the disk fails. Then
   * nothing is written, and the same commit can be tried again.
   */
  append(commit: CommitRecord): readonly JournalRow[]
  /**
   * Call it after a failed `append`, before anything relies on its commit being absent: a failed flush can leave the
   * whole commit in the file, where the next start would find it. Durable when it returns: any later start finds the
   * same `last`. Throws like `append` while the disk fails.
   */
  confirmLast(): void
  last(): LastCommit
  /**
   * Continues after a commit that the journal does not have and cannot get any more: the next one MUST have the number
   * `version + 1`. The events and keys of the missing commit stay missing. `idLeadMs`: of the traces that exist anyway.
   * Durable when it returns.
   */
  skipTo(version: number, lastTraceId: TraceId | null, idLeadMs: number): void
  /**
   * The greatest time, milliseconds, by which the id of a committed trace is ahead of the trace's creation
   * (creation-time.ts); 0 while the clock never ran ahead or stepped back. An id's time is never before the
   * creation. Code that converts a range of creation times to a range of ids, or back, must allow for this lead.
   */
  idLeadMs(): number
  findTraceKey(projectId: ProjectId, key: string): TraceKey | undefined
  findStepKey(traceId: TraceId, key: string): StepKey | undefined
  findMetricEventKey(traceId: TraceId, key: string): MetricEventKey | undefined
  /** Whether the project has these bytes, so that a commit may link them. */
  hasMedia(projectId: ProjectId, sha256: string): boolean
  /** Number of attachments of a trace and its steps. */
  attachmentsOf(traceId: TraceId): number
}
