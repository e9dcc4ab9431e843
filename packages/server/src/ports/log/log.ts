import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { DomainError } from '../../lib/domain-error.ts'
import type { CommitRecord, JournalRow, MetricEventKey, StepKey, TraceKey } from '../journal/journal.ts'
import type { ProjectFilter, StoredCommit } from '../traces/trace-store.ts'

/** What is committed: readers show no trace above `lastTraceId` and no step above `version`. */
export interface Watermark {
  readonly version: number
  readonly lastTraceId: TraceId | null
  /**
   * The greatest time, milliseconds, by which the id of a committed trace is ahead of the trace's creation
   * (ports/journal/creation-time.ts); 0 while the clock never ran ahead or stepped back. An id's time is never before
   * the creation. Code that converts a range of creation times to a range of ids, or back, must allow for this lead.
   */
  readonly idLeadMs: number
}

/**
 * Everything that one group commit writes: rows of telemetry, keys, links, and the events of the journal. The planner
 * (traces/commit) computes it.
 */
export type CommitPlan = StoredCommit & CommitRecord

/**
 * What a planner looks up in the log, besides the latest versions of traces. Names that occur twice are looked up once.
 */
export interface Unknowns {
  readonly traceKeys: readonly Pick<TraceKey, 'projectId' | 'key'>[]
  readonly stepKeys: readonly Pick<StepKey, 'traceId' | 'key'>[]
  readonly metricEventKeys: readonly Pick<MetricEventKey, 'traceId' | 'key'>[]
  readonly media: readonly MediaContentKey[]
  /** Traces whose attachments are counted. */
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
 * The results for `Unknowns`. Each method throws for a name that was not looked up: a planner that guessed would store
 * the same thing twice.
 */
export interface Known {
  traceKey(projectId: ProjectId, key: string): TraceKey | undefined
  stepKey(traceId: TraceId, key: string): StepKey | undefined
  metricEventKey(traceId: TraceId, key: string): MetricEventKey | undefined
  hasMedia(projectId: ProjectId, sha256: string): boolean
  /** Number of attachments of a trace and its steps. */
  attachmentsOf(traceId: TraceId): number
}

export type CommitOutcome =
  | {
      readonly status: 'committed'
      /** `plan.version`, or a greater one: others have committed meanwhile what the plan does not depend on. */
      readonly version: number
      readonly rows: readonly JournalRow[]
    }
  /** Nothing was written: something that the plan depends on has changed. Look up again, plan again. */
  | { readonly status: 'conflict' }

/** A commit as the readers of the log see it. */
export interface Committed {
  readonly plan: CommitPlan
  /** Its rows in the journal, without events that the journal refused. */
  readonly rows: readonly JournalRow[]
}

export interface LogListener {
  /**
   * Called for each commit, whoever wrote it, in commit order, when it is readable and before `commit` resolves: also
   * before it reports a conflict with that commit. MUST NOT throw.
   */
  committed?(commit: Committed): void
  /**
   * Commits of these projects have become readable without a call of `committed`, or without all their rows in it. What
   * a listener keeps of the projects may be old. MUST NOT throw.
   */
  missed?(isOf: ProjectFilter): void
  /** Called when the log cannot take commits, before the failed `commit` rejects. MUST NOT throw. */
  refusing?(error: DomainError): void
}

/**
 * The one log through which everything durable goes. A commit is one record in it. Everything else reads the log: rows
 * that are not settled yet, the tail, the dispatcher of webhooks, caches.
 *
 * Planning is optimistic: the planner looks up what it needs, plans, and commits. The log takes the plan whole, or
 * reports a conflict with what has changed since; then nothing was written.
 *
 * A node follows the log. `watermark`, `refusal` and `subscribe` read only the state of this node, which is in memory,
 * so they are synchronous in every profile. Whatever may need another process is asynchronous.
 */
export interface Log {
  /** Of the last commit that this node has made readable. */
  watermark(): Watermark
  /** Begins a plan, before anything is read for it. Returns the watermark. */
  begin(): Watermark
  /**
   * As of the watermark or a later commit; what a known key names is readable on this node then. Rejects with
   * DomainError `storage_unavailable`.
   */
  lookUp(unknowns: Unknowns): Promise<Known>
  /**
   * Makes a plan durable and then readable, all of it at once. One call at a time. `plan.version` MUST be one more than
   * the watermark's was when the plan began. Waits while too many commits are on their way to
   * the engine; this bounds memory.
   *
   * - `committed`: durable on every node of the log, readable on this one, and listeners have been called.
   * - `conflict`: a commit that the plan depends on came between, a key of it is taken, or media that it links is
   *   missing.
   * - Rejects with DomainError `disk_full` or `storage_unavailable`. The message says whether nothing was stored or
   *   whether that is unknown; then the same request with the same idempotency keys finds out. The log refuses commits
   *   until it is sure of its state again.
   */
  commit(plan: CommitPlan): Promise<CommitOutcome>
  /** Why nothing can be committed now, or null. Check it before you accept work. */
  refusal(): DomainError | null
  /** Returns a function that ends the subscription. */
  subscribe(listener: LogListener): () => void
}
