import type { EventTypeOf } from '@spoor/contract/events'
import type { AttachmentId, ClusterId, MetricEventId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { StoredBytes } from '../media/media-record.ts'
import type { ModelUsage } from '../traces/trace-record.ts'
import type { RemovedMetricEvent } from './metric-event.ts'
import type { MonitorTransition } from './monitor-transition.ts'

/** An event of the journal. Its fields follow from the subject of its type (`EVENT_TYPES` of the contract). */
export type JournalEvent =
  | { readonly type: EventTypeOf<'trace'>; readonly traceId: TraceId }
  | { readonly type: EventTypeOf<'flag'>; readonly traceId: TraceId; readonly reason: string | null }
  | {
      readonly type: EventTypeOf<'metric event' | 'removed event'>
      readonly traceId: TraceId
      readonly eventId: MetricEventId
    }
  | { readonly type: EventTypeOf<'transition'>; readonly transition: MonitorTransition }
  /** `data`: the payload for webhooks, JSON text in the wire format. */
  | {
      readonly type: EventTypeOf<'cluster' | 'cluster change' | 'cluster pattern'>
      readonly clusterId: ClusterId
      readonly data: string
    }
  | { readonly type: EventTypeOf<'version'>; readonly data: string }

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

/** Identifies a step that is sent again: by its idempotency key or by the id that the client chose. */
export interface StepKey {
  readonly traceId: TraceId
  /**
   * `k` + idempotency key, or `i` + chosen step id, or for a span that was corrected, `c` + step id + `:` + hash of the
   * content that replaced it, or `t` + step id for a span that is the trace itself, or `p` + step id of a parent that
   * the step names; see traces/otlp/filter-spans.ts.
   */
  readonly key: string
  readonly stepId: StepId
  /** SHA-256 in lower-case hex. */
  readonly contentHash: string
}

/**
 * Identifies a metric event that is sent again, by its idempotency key. The key is scoped to the trace and separate
 * from keys of steps.
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
  /** Tokens by model, for its cost; null if they are unknown. */
  readonly usage: readonly ModelUsage[] | null
}

export interface TraceName {
  readonly projectId: ProjectId
  readonly traceId: TraceId
}

export interface DeletedTrace extends TraceName {
  /** Until this time, milliseconds, it can be restored: its rows MUST stay. Absent: it cannot. */
  readonly restorableUntil?: number
  /** Retention deleted it: the numbers of its metric events stay in series. */
  readonly isExpired?: true
}

/** A removed metric event whose rows are not gone from the telemetry store yet. */
export interface RemovalMark {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly id: MetricEventId
  /** The commit that removed it. */
  readonly version: number
}

/** A deletion, or the end of one that could be undone. */
interface DeletionChange extends DeletedTrace {
  readonly restored?: true
}

/**
 * Whether a trace that comes in pieces waits to become complete: from the commit that brings its root until it is
 * complete or deleted. Each commit that changes it writes this again, so that the wait begins anew.
 */
export interface QuietWait extends TraceName {
  readonly waits: boolean
}

/** Media that a step of the commit refers to. */
export interface AttachmentLink {
  readonly id: AttachmentId
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly stepId: StepId
  /** Lower-case hex. */
  readonly sha256: string
  /**
   * Bytes that become media of the project with this commit, unless it has the same. Absent: the project has them, and
   * the link is a copy of their latest attachment.
   */
  readonly stored?: StoredBytes
}

/** Events of something that emits them once, such as a discovery of clusters. */
export interface OnceEvents {
  readonly projectId: ProjectId
  /** Of all projects, what emits them: a later commit with the same key emits nothing. */
  readonly key: string
  readonly events: readonly JournalEvent[]
}

/** The first rows that have together `limitEvents` events after `after`; all if they have fewer. */
export function rowsOfEvents(rows: Iterable<JournalRow>, after: number, limitEvents: number): JournalRow[] {
  const taken: JournalRow[] = []
  let count = 0
  for (const row of rows) {
    taken.push(row)
    count += Math.min(row.events.length, row.lastPosition - after)
    if (count >= limitEvents) break
  }
  return taken
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
  /**
   * Media without `stored` MUST exist. Attachments of traces that the same commit deletes are removed after these are
   * added.
   */
  readonly attachments: readonly AttachmentLink[]
  /**
   * Their attachments are removed too, of restorable ones when they are purged: bytes without any attachment are then
   * marked for deletion.
   */
  readonly deleted: readonly DeletionChange[]
  /** Each is marked, once, and its idempotency key is free again, also for events of the same commit. */
  readonly removedEvents: readonly RemovedMetricEvent[]
  /**
   * In order. A transition is refused if its monitor has changed since it was evaluated (edited, deleted, in that state
   * already, evaluated by another process): it changes nothing, and its event is left out.
   */
  readonly monitorTransitions: readonly MonitorTransition[]
  /**
   * Their events are the same objects as in `projects`. If events with the key were emitted within the last 400 days,
   * these are left out.
   */
  readonly onceEvents: readonly OnceEvents[]
  /** Each trace once. */
  readonly quietWaits: readonly QuietWait[]
}

/**
 * The single order of events, with superseded sort keys and marks of deleted traces. The log (ports/log) writes it;
 * what is in the journal is committed. Every method rejects with DomainError `storage_unavailable` while the store
 * cannot be used; methods that write, also with `disk_full`.
 */
export interface Journal {
  /**
   * Rows of the project with `lastPosition > after`, oldest first. The first may hold events at or before `after`: the
   * reader skips them. Returns as many rows as needed for `limitEvents` events after `after`, because rows differ a
   * thousandfold in size.
   */
  read(projectId: ProjectId, after: number, limitEvents: number): Promise<readonly JournalRow[]>
  /** Like `read`, for all projects. */
  readAll(after: number, limitEvents: number): Promise<readonly JournalRow[]>
  /** Position of the last event of any project, 0 when none was ever written. */
  headPosition(): Promise<number>
  /**
   * Greatest position that retention has removed (of any project), 0 when none. A reader at a lower position has lost
   * events.
   */
  prunedThrough(): Promise<number>
  /**
   * Removes rows committed before `before` (ms), oldest first, at most `limitRows` (default 10,000) in one call, so
   * that no call blocks for long. Resolves with their number; if it equals the limit, there may be more. A row after a
   * retained row is retained, whatever its own time (clocks step back), and so is each row after `throughPosition`. A
   * row from later than `now` was committed by a clock that ran ahead: it counts as old as the next row that is not, so
   * that it is not removed too early and does not block later rows.
   */
  prune(before: number, limitRows?: number, throughPosition?: number, now?: number): Promise<number>
  /** Superseded keys that were the current ones at `version`. */
  supersededAt(projectId: ProjectId, version: number): Promise<readonly SupersededKeys[]>
  /**
   * Traces that wait to become complete and that no commit after `version` has changed, those first that have waited
   * longest, at most `limit`; of one commit, the older trace first.
   */
  quietSince(version: number, limit: number): Promise<readonly TraceName[]>
  /**
   * Removes superseded keys of commits before `before` (ms); bounded and answering as `prune`. Walks by cursor older
   * than that can no longer be served.
   */
  pruneSuperseded(before: number, limitRows?: number): Promise<number>
  /**
   * Forgets idempotency keys of traces and steps, each at the earliest `keptMs` after it was written: to be called
   * regularly, also while there is nothing to forget. `now` in ms; bounded and answering as `prune`.
   */
  expireKeys(now: number, keptMs: number, limitRows?: number): Promise<number>
  /**
   * Which of these traces are deleted, for as long as the journal holds an event of them, purged or not. Costs nothing
   * while no trace is.
   */
  deletedAmong(traceIds: readonly TraceId[], onlyForGood?: boolean): Promise<ReadonlySet<TraceId>>
  /**
   * Deleted traces whose rows are not removed from the telemetry store yet, oldest trace first, those after `after`.
   * `withoutExpired`: only those that retention has not deleted.
   */
  pendingPurges(limit: number, after?: TraceId, withoutExpired?: boolean): Promise<readonly DeletedTrace[]>
  /** Until when a deleted trace can be restored; null if it is not deleted, or for good. */
  restorableUntil(traceId: TraceId): Promise<number | null>
  /** How many wait, counted up to `limit`: of those that can be restored, only until `through`, milliseconds. */
  pendingPurgeCount(limit: number, through?: number): Promise<number>
  /**
   * Call it once the telemetry store has nothing of these traces any more. Removes the keys of their steps and metric
   * events, late attachments, reasons of flags and names of announced files (idempotency keys of traces stay as
   * hashes); then the traces are no longer pending. `prune` removes their marks with their last events. One call
   * removes at most 20,000 keys: a trace with more stays pending and is purged again (which MUST be harmless). Traces
   * that are not pending do not change.
   */
  markPurged(traceIds: readonly TraceId[]): Promise<void>
  /**
   * Clears the texts in events of clusters and versions of the project: labels, descriptions, keywords, patterns and
   * versions. Call it once nothing writes texts of the deleted traces any more. Resolves with the position of the last
   * row that has or had such texts, 0 if there is none.
   */
  forgetTexts(projectId: ProjectId): Promise<number>
  /** Removed metric events of the project that still have rows. Costs nothing while there are none. */
  removedEvents(projectId: ProjectId): Promise<ReadonlySet<MetricEventId>>
  /** Of all projects, those removed first, at most `limit`. */
  removalMarks(limit: number): Promise<readonly RemovalMark[]>
  /** Removes marks. Call it once the telemetry store has nothing of these events. Unknown ones are left out. */
  forgetRemovals(ids: readonly MetricEventId[]): Promise<void>
}
