import type { EventTypeOf } from '@spoor/contract/events'
import type { AttachmentId, ClusterId, JobId, MetricEventId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { MonitorTransition } from './monitor-transition.ts'

/** An event as the journal keeps it: what its type is of (`EVENT_TYPES` of the contract) says what it holds. */
export type JournalEvent =
  | { readonly type: EventTypeOf<'trace'>; readonly traceId: TraceId }
  | { readonly type: EventTypeOf<'flag'>; readonly traceId: TraceId; readonly reason: string | null }
  | { readonly type: EventTypeOf<'metric event'>; readonly traceId: TraceId; readonly eventId: MetricEventId }
  | { readonly type: EventTypeOf<'transition'>; readonly transition: MonitorTransition }
  /** `data`: what webhooks tell of it, JSON text in the form of the wire. */
  | { readonly type: EventTypeOf<'cluster' | 'cluster change'>; readonly clusterId: ClusterId; readonly data: string }

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

/**
 * A metric event that can be recognised again by its idempotency key, which is scoped to the trace and apart from those
 * of steps.
 */
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

/**
 * Sort keys that a trace had in the versions `[fromVersion, untilVersion)`: lets a walk by cursor see rows as they were
 * when it began.
 */
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
   * In the order they happened. One whose monitor is not as it was evaluated any more (changed, deleted, in that state
   * already, evaluated by somebody else since) is refused: it changes nothing, and its event is left out.
   */
  readonly monitorTransitions: readonly MonitorTransition[]
  /**
   * Their events are among those of `projects`, the same objects. A run that was told before (within the last 30 days)
   * is refused: its events are left out.
   */
  readonly clusterRuns: readonly ClusterRunEvents[]
}

/**
 * The single order of events, and what belongs to it: keys of sorted walks and marks of deleted traces. The log
 * (ports/log) writes it; what is in the journal is committed. Every method rejects with DomainError
 * `storage_unavailable` while the store cannot be used; those that write, also with `disk_full`.
 */
export interface Journal {
  /**
   * Rows of the project with `lastPosition > after`, oldest first. The first may hold events at or before `after`: the
   * reader skips them.
   */
  read(projectId: ProjectId, after: number, limitRows: number): Promise<readonly JournalRow[]>
  /**
   * As `read`, the rows of all projects, but as many as it takes to have `limitEvents` behind `after`: rows differ a
   * thousandfold in size.
   */
  readAll(after: number, limitEvents: number): Promise<readonly JournalRow[]>
  /** Position of the last event of any project, 0 when none was ever written. */
  headPosition(): Promise<number>
  /**
   * Greatest position that retention has removed (of any project), 0 when none. A reader at a lower position has lost
   * events.
   */
  prunedThrough(): Promise<number>
  /**
   * Removes rows committed before `before` (ms), oldest first, at most `limitRows` (default 10,000) in one call so that
   * none blocks for long. Resolves with how many: as many as the limit means that there may be more. A row behind one
   * that is kept is kept, whatever its own time (clocks step back). Nothing behind `throughPosition` goes. A row from
   * later than `now` was committed by a clock that ran ahead: it counts as old as the next row that is not, so that it
   * neither goes too early nor holds up those behind it.
   */
  prune(before: number, limitRows?: number, throughPosition?: number, now?: number): Promise<number>
  /** Superseded keys that were the current ones at `version`. */
  supersededAt(projectId: ProjectId, version: number): Promise<readonly SupersededKeys[]>
  /**
   * Removes superseded keys of commits before `before` (ms); bounded and answering as `prune`. Walks by cursor older
   * than that can no longer be served.
   */
  pruneSuperseded(before: number, limitRows?: number): Promise<number>
  /**
   * Which of these traces are deleted, for as long as the journal holds an event of them, purged or not. Costs nothing
   * while no trace is.
   */
  deletedAmong(traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>>
  /**
   * Deleted traces whose rows are still to be removed from the telemetry store, oldest trace first, those behind
   * `after`.
   */
  pendingPurges(limit: number, after?: TraceId): Promise<readonly DeletedTrace[]>
  /** How many there are, counted up to `limit`. */
  pendingPurgeCount(limit: number): Promise<number>
  /**
   * To be called once the telemetry store holds nothing of these traces any more: forgets the keys of their steps and
   * metric events, whatever was attached to them late, reasons of flags and names of announced files (their idempotency
   * keys stay as hashes), then ends that they are pending. That they were deleted is forgotten by `prune` with their
   * last event. At most 20,000 keys go in one call: a trace with more stays pending and is purged again (which MUST be
   * harmless) until it has none. Traces that are not pending are left alone.
   */
  markPurged(traceIds: readonly TraceId[]): Promise<void>
}
