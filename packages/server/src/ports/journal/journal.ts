import type { AttachmentId, ClusterId, JobId, MetricEventId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { MonitorTransition } from './monitor-transition.ts'

export type JournalEvent =
  | { readonly type: 'trace.committed'; readonly traceId: TraceId }
  | { readonly type: 'trace.flagged'; readonly traceId: TraceId; readonly reason: string | null }
  | { readonly type: 'metric.event'; readonly traceId: TraceId; readonly eventId: MetricEventId }
  | { readonly type: 'monitor.fired' | 'monitor.resolved'; readonly transition: MonitorTransition }
  /** `data`: what webhooks tell of it, JSON text in the form of the wire. */
  | {
      readonly type: 'cluster.created' | 'cluster.shifted'
      readonly clusterId: ClusterId
      readonly data: string
    }

/**
 * What one group commit did in one project. Its events hold consecutive positions: event `i` has position
 * `lastPosition - events.length + 1 + i`. Positions grow over all projects; a project sees gaps between its own.
 */
export interface JournalRow {
  readonly projectId: ProjectId
  readonly lastPosition: number
  readonly committedAt: number
  readonly events: readonly JournalEvent[]
}

/** A step that can be recognised again: by its idempotency key or the id the client chose. */
export interface StepKey {
  readonly traceId: TraceId
  /** `k` + idempotency key, or `i` + chosen step id. */
  readonly key: string
  readonly stepId: StepId
  /** SHA-256 in lower-case hex. */
  readonly contentHash: string
}

/** A metric event that can be recognised again by its idempotency key, which is scoped to the trace and apart from those of steps. */
export interface MetricEventKey {
  readonly traceId: TraceId
  readonly key: string
  readonly eventId: MetricEventId
  /** SHA-256 in lower-case hex. */
  readonly contentHash: string
}

export interface TraceKey {
  readonly projectId: ProjectId
  readonly key: string
  /** SHA-256 in lower-case hex. */
  readonly bodyHash: string
  readonly traceId: TraceId
}

/** Sort keys that a trace had in the versions `[fromVersion, untilVersion)`: lets a walk by cursor see rows as they were when it began. */
export interface SupersededKeys {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly fromVersion: number
  readonly untilVersion: number
  readonly durationMs: number | null
  readonly totalTokens: number
  readonly stepCount: number
}

export interface DeletedTrace {
  readonly projectId: ProjectId
  readonly traceId: TraceId
}

/** Media already in the project that a step of the commit refers to. */
export interface AttachmentLink {
  readonly id: AttachmentId
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly stepId: StepId
  /** Lower-case hex. */
  readonly sha256: string
}

/** What a discovery of clusters tells. */
export interface ClusterRunEvents {
  readonly projectId: ProjectId
  readonly runId: JobId
  readonly events: readonly JournalEvent[]
}

export interface CommitRecord {
  /** The group commit's number; one more than the last. */
  readonly version: number
  readonly committedAt: number
  /** The greatest trace id committed so far, this commit included. */
  readonly lastTraceId: TraceId | null
  readonly projects: readonly { readonly projectId: ProjectId; readonly events: readonly JournalEvent[] }[]
  readonly traceKeys: readonly TraceKey[]
  readonly stepKeys: readonly StepKey[]
  readonly metricEventKeys: readonly MetricEventKey[]
  readonly superseded: readonly SupersededKeys[]
  /** The media MUST be there. What a trace of the same commit that is deleted held goes after these are made. */
  readonly attachments: readonly AttachmentLink[]
  /** Their media is released with them: bytes that nothing refers to any more wait for removal. */
  readonly deleted: readonly DeletedTrace[]
  /**
   * In the order they happened. One whose monitor is not as it was evaluated any more (changed, deleted, in that state already, evaluated by somebody else since) is
   * refused: it changes nothing, and its event is left out.
   */
  readonly monitorTransitions: readonly MonitorTransition[]
  /** Their events are among those of `projects`, the same objects. A run that was told before (within the last 30 days) is refused: its events are left out. */
  readonly clusterRuns: readonly ClusterRunEvents[]
}

/**
 * The single order of things. One row per project and group commit, written after the rows are durable: what is in the journal
 * is committed, what stands in the commit log beyond it never was.
 *
 * All methods are synchronous: SQLite answers in microseconds, and the commit order must not be interleaved.
 */
export interface Journal {
  /**
   * MUST be durable (fsync) when it returns, all or nothing. Returns the rows written, in order, one per element of `projects`; an element
   * without events gets a row that takes no position and is not kept. Throws when `version` is not above the last one, when a key is
   * there already, and DomainError `disk_full` or `storage_unavailable` when the disk fails: nothing is written then, and the same commit can be tried again.
   */
  append(commit: CommitRecord): readonly JournalRow[]
  /**
   * To be called after an `append` that failed, before anything relies on its commit not being there: a flush that fails can leave the whole of it in the file, where the next
   * start would find it. Durable when it returns: `last` is what any later start finds too. Throws as `append` while the disk fails.
   */
  confirmLast(): void
  /** Number and greatest trace id of the last commit; `{version: 0, lastTraceId: null}` on an empty store. */
  last(): { readonly version: number; readonly lastTraceId: TraceId | null }
  /**
   * Goes on behind a commit that the journal does not hold and that cannot be had any more: the next one MUST have the number `version + 1`. What it would have held stays
   * missing. `idLeadMs`: of the traces that are there all the same. Durable when it returns.
   */
  skipTo(version: number, lastTraceId: TraceId | null, idLeadMs: number): void
  /**
   * The greatest time, milliseconds, by which the id of a committed trace is ahead of the trace's creation (creation-time.ts); 0 while the clock never ran ahead or
   * stepped back. An id's time is never less than the creation: who turns a range of times into one of ids, or back, allows for this much.
   */
  idLeadMs(): number
  /** Rows of the project with `lastPosition > after`, oldest first. The first may hold events at or before `after`: the reader skips them. */
  read(projectId: ProjectId, after: number, limitRows: number): readonly JournalRow[]
  /** As `read`, the rows of all projects, but as many as it takes to have `limitEvents` behind `after`: rows differ a thousandfold in size. */
  readAll(after: number, limitEvents: number): readonly JournalRow[]
  /** Position of the last event of any project, 0 when none was ever written. */
  headPosition(): number
  /** Greatest position that retention has removed (of any project), 0 when none. A reader at a lower position has lost events. */
  prunedThrough(): number
  /**
   * Removes rows committed before `before` (ms), oldest first, at most `limitRows` (default 10,000) in one call so that none blocks for long.
   * Returns how many: as many as the limit means that there may be more. A row behind one that is kept is kept, whatever its own time (clocks step back).
   * Nothing behind `throughPosition` goes. A row from later than `now` was committed by a clock that ran ahead: it counts as old as the next row that is not, so that
   * it neither goes too early nor holds up those behind it.
   */
  prune(before: number, limitRows?: number, throughPosition?: number, now?: number): number
  findTraceKey(projectId: ProjectId, key: string): TraceKey | undefined
  findStepKey(traceId: TraceId, key: string): StepKey | undefined
  findMetricEventKey(traceId: TraceId, key: string): MetricEventKey | undefined
  /** Superseded keys that were the current ones at `version`. */
  supersededAt(projectId: ProjectId, version: number): readonly SupersededKeys[]
  /** Removes superseded keys of commits before `before` (ms); bounded and answering as `prune`. Walks by cursor older than that can no longer be served. */
  pruneSuperseded(before: number, limitRows?: number): number
  /** Which of these traces are deleted, for as long as the journal holds an event of them, purged or not. Costs nothing while no trace is. */
  deletedAmong(traceIds: readonly TraceId[]): ReadonlySet<TraceId>
  /** Deleted traces whose rows are still to be removed from the telemetry store, oldest trace first, those behind `after`. */
  pendingPurges(limit: number, after?: TraceId): readonly DeletedTrace[]
  /** How many there are, counted up to `limit`. */
  pendingPurgeCount(limit: number): number
  /**
   * To be called once the telemetry store holds nothing of these traces any more: forgets the keys of their steps and metric events, whatever was attached to them late, reasons of flags and names of announced files (their idempotency keys stay as hashes), then ends that they are pending. That they were
   * deleted is forgotten by `prune` with their last event. At most 20,000 keys go in one call: a trace with more stays pending and is purged again
   * (which MUST be harmless) until it has none. Traces that are not pending are left alone.
   */
  markPurged(traceIds: readonly TraceId[]): void
}
