import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { CommitRecord, JournalRow, MetricEventKey, StepKey, TraceKey } from '../../ports/journal/journal.ts'

/** The last commit that the journal holds; `version` 0 and no trace on an empty store. */
interface LastCommit {
  readonly version: number
  /** The greatest trace id committed so far. */
  readonly lastTraceId: TraceId | null
}

/**
 * What the embedded log writes to and looks up in SQLite. Synchronous: SQLite answers in microseconds, and nothing of
 * this process may come between the steps of a commit.
 */
export interface EmbeddedJournal {
  /**
   * Durable (fsync) when it returns, all or nothing. Returns the rows written, in order, one per element of `projects`;
   * an element without events gets a row that takes no position and is not kept. Throws when `version` is not above the
   * last one, when a key is there already, and DomainError `disk_full` or `storage_unavailable` when the disk fails:
   * nothing is written then, and the same commit can be tried again.
   */
  append(commit: CommitRecord): readonly JournalRow[]
  /**
   * To be called after an `append` that failed, before anything relies on its commit not being there: a flush that
   * fails can leave the whole of it in the file, where the next start would find it. Durable when it returns: `last` is
   * what any later start finds too. Throws as `append` while the disk fails.
   */
  confirmLast(): void
  last(): LastCommit
  /**
   * Goes on behind a commit that the journal does not hold and that cannot be had any more: the next one MUST have the
   * number `version + 1`. What it would have held stays missing. `idLeadMs`: of the traces that are there all the same.
   * Durable when it returns.
   */
  skipTo(version: number, lastTraceId: TraceId | null, idLeadMs: number): void
  /**
   * The greatest time, milliseconds, by which the id of a committed trace is ahead of the trace's creation
   * (creation-time.ts); 0 while the clock never ran ahead or stepped back. An id's time is never less than the
   * creation: who turns a range of times into one of ids, or back, allows for this much.
   */
  idLeadMs(): number
  findTraceKey(projectId: ProjectId, key: string): TraceKey | undefined
  findStepKey(traceId: TraceId, key: string): StepKey | undefined
  findMetricEventKey(traceId: TraceId, key: string): MetricEventKey | undefined
  /** Whether the project has these bytes, so that a commit may link them. */
  hasMedia(projectId: ProjectId, sha256: string): boolean
  /** Number of attachments of a trace, those of its steps included. */
  attachmentsOf(traceId: TraceId): number
}
