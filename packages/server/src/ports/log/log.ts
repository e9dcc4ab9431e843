import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { DomainError } from '../../lib/domain-error.ts'
import type { CommitRecord, JournalRow, MetricEventKey, StepKey, TraceKey } from '../journal/journal.ts'
import type { StoredCommit } from '../traces/trace-store.ts'

/** What is committed: readers show no trace above `lastTraceId` and no step above `version`. */
export interface Watermark {
  readonly version: number
  readonly lastTraceId: TraceId | null
  /**
   * The greatest time, milliseconds, by which the id of a committed trace is ahead of the trace's creation
   * (ports/journal/creation-time.ts); 0 while the clock never ran ahead or stepped back. An id's time is never less
   * than the creation: who turns a range of times into one of ids, or back, allows for this much.
   */
  readonly idLeadMs: number
}

/**
 * All that one group commit writes: rows of telemetry, keys, links, and the events of the journal. The planner makes it
 * (traces/commit).
 */
export type CommitPlan = StoredCommit & CommitRecord

/**
 * What a planner wants to know of the log besides the newest versions of traces. Names that occur twice are looked up
 * once.
 */
export interface Unknowns {
  readonly traceKeys: readonly Pick<TraceKey, 'projectId' | 'key'>[]
  readonly stepKeys: readonly Pick<StepKey, 'traceId' | 'key'>[]
  readonly metricEventKeys: readonly Pick<MetricEventKey, 'traceId' | 'key'>[]
  readonly media: readonly MediaContentKey[]
  /** Traces whose attachments are to be counted. */
  readonly attachments: readonly TraceId[]
}

export const NO_UNKNOWNS: Unknowns = { traceKeys: [], stepKeys: [], metricEventKeys: [], media: [], attachments: [] }

/** Bytes that a project may have. */
export interface MediaContentKey {
  readonly projectId: ProjectId
  /** Lower-case hex. */
  readonly sha256: string
}

/**
 * The answers to `Unknowns`. Each method throws for what was not asked about: a planner that guesses would write the
 * same thing twice.
 */
export interface Known {
  traceKey(projectId: ProjectId, key: string): TraceKey | undefined
  stepKey(traceId: TraceId, key: string): StepKey | undefined
  metricEventKey(traceId: TraceId, key: string): MetricEventKey | undefined
  hasMedia(projectId: ProjectId, sha256: string): boolean
  /** Attachments of a trace and its steps. */
  attachmentsOf(traceId: TraceId): number
}

export type CommitOutcome =
  | { readonly status: 'committed'; readonly rows: readonly JournalRow[] }
  /** Nothing was written: something that the plan rests on has changed. Look up again, plan again. */
  | { readonly status: 'conflict' }

/** A commit as the readers of the log see it. */
export interface Committed {
  readonly plan: CommitPlan
  /** What the journal holds of it; events that it refused are left out. */
  readonly rows: readonly JournalRow[]
}

export interface LogListener {
  /** Called in commit order, when the commit is readable and before `commit` resolves. MUST NOT throw. */
  committed?(commit: Committed): void
  /** Called when the log stops taking commits, with what it answers meanwhile. */
  refusing?(error: DomainError): void
}

/**
 * The one log that everything durable goes through. A commit is a record in it; whatever else there is reads the log:
 * the rows that are not settled yet, the tail, the dispatcher of webhooks, caches.
 *
 * Planning is optimistic: the planner looks up what it needs, plans, and commits. The log takes the plan whole, or says
 * that it rests on something that has changed, and then nothing was written.
 */
export interface Log {
  /** Of the last commit that this node has made readable. */
  watermark(): Watermark
  /** As of the watermark or a later commit. Rejects with DomainError `storage_unavailable`. */
  lookUp(unknowns: Unknowns): Promise<Known>
  /**
   * Resolves when a commit may be made: waits while too much is on its way to where it stays. Rejects with DomainError
   * `storage_unavailable` while nothing gets there.
   */
  room(): Promise<void>
  /**
   * Makes a plan durable and then readable, all of it at once. One at a time. `plan.version` MUST be one more than the
   * watermark's at the time of planning.
   *
   * - `committed`: durable on every node of the log, readable on this one, and listeners have been called.
   * - `conflict`: another commit came between, or a key of the plan is taken.
   * - Rejects with DomainError `disk_full` or `storage_unavailable`. Its message says whether nothing was kept, or
   *   whether that is not known: then the same
   *   request with the same idempotency keys tells. The log refuses until it is sure of its state again.
   */
  commit(plan: CommitPlan): Promise<CommitOutcome>
  /** Why nothing can be committed now, or null. To be asked before work is taken in. */
  refusal(): DomainError | null
  /** Returns what ends the subscription. */
  subscribe(listener: LogListener): () => void
}
