import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { StepFilters, TraceBound } from '@spoor/contract/trace-filters'
import type { ScoredBy } from '../metrics/scored-by.ts'
import type { ModelRates } from '../prices/price.ts'
import type { RemovalMark } from '../journal/journal.ts'
import type { MetricEventRecord, RemovedMetricEvent } from '../journal/metric-event.ts'
import type { StoredStep } from './prepared.ts'
import type { StepHead, StepRecord } from './step-record.ts'
import type { ModelUsage, TraceRecord } from './trace-record.ts'

/** A step as a commit places it. */
export interface NewStep {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly traceCreatedAt: number
  readonly version: number
  readonly id: StepId
  readonly position: number
  readonly parentStepId: StepId | null
  readonly parentInferred: boolean
  readonly receivedAt: number
  /** It takes the place of an earlier version of the step, at the same position. */
  readonly replaces?: true
  readonly prepared: StoredStep
  /** The tokens it is billed for; empty without a model. */
  readonly usage: readonly ModelUsage[]
}

/** A metric event as a commit places it, with what series of its metric need of its trace: as the trace was then. */
export interface NewMetricEvent {
  readonly record: MetricEventRecord
  readonly runType: string
  readonly models: readonly string[]
  /** Search terms (terms.ts) of its own metadata, and of its trace's metadata for keys that its own lacks. */
  readonly terms: readonly string[]
}

/** The sort keys of a list. */
export type FeedSort = 'created_at' | 'duration_ms' | 'total_tokens' | 'step_count' | 'cost_usd'

/** The sort key of a trace whose duration is unknown: less than every known one. */
export const UNKNOWN_DURATION = -1

/** Narrow row of a candidate for a list page. The caller reads the newest versions and filters by those. */
export interface FeedCandidate {
  readonly id: TraceId
  readonly version: number
  /** The sort key of that version; the order of creation is that of the ids, so `created_at` has 0 here. */
  readonly key: number
  /** The newest version of the trace, where finding the candidate brought it along. */
  readonly trace?: TraceRecord
}

export interface FeedCandidateQuery {
  readonly projectId: ProjectId
  /** Each group is a set of search terms; a trace must have one term of each group. */
  readonly termGroups: readonly (readonly string[])[]
  /** Numbers of the trace that must lie within these. */
  readonly bounds: readonly TraceBound[]
  /** One step of the trace must pass all of these filters; null for none. */
  readonly steps: Partial<StepFilters> | null
  /** Prices of tokens, for the sort key `cost_usd` and bounds of costs. Null when the query has neither. */
  readonly rates: ModelRates | null
  /** As `toQueryWords` gives them: all must occur in one step or in the trace's name; null for no full text. */
  readonly words: readonly string[] | null
  /** Ids lie in `[lowestId, highestId]`. */
  readonly lowestId: TraceId
  readonly highestId: TraceId
  /**
   * Creation times lie in `[startTime, endTime)`; null for no bound, and where the bounds on ids say the same already.
   */
  readonly created: { readonly startTime: number | null; readonly endTime: number | null } | null
  /** Only these traces; null for any. */
  readonly among: readonly TraceId[] | null
  readonly sort: FeedSort
  readonly order: 'asc' | 'desc'
  /** Only versions up to this one; null for any (ignored for `created_at`). */
  readonly atVersion: number | null
  /** Strictly after this position in the order; null for the start. For `created_at` only its id counts. */
  readonly after: { readonly key: number; readonly id: TraceId } | null
  readonly limit: number
}

/** Whether the query has conditions on the trace's own row or on a step. */
export function hasConditions(query: Pick<FeedCandidateQuery, 'termGroups' | 'bounds' | 'steps'>): boolean {
  return query.termGroups.length > 0 || query.bounds.length > 0 || query.steps !== null
}

/** The rows of one group commit. `version` is its number; all rows have it. */
export interface StoredCommit {
  readonly version: number
  /** One version of each trace it wrote. */
  readonly traces: readonly TraceRecord[]
  readonly steps: readonly NewStep[]
  readonly metricEvents: readonly NewMetricEvent[]
  readonly removedEvents?: readonly RemovedMetricEvent[]
}

export type ProjectFilter = (projectId: ProjectId) => boolean

/** What keeps sums of commits, or copies of their rows. */
export interface CommitWatch {
  /** Called for each commit when it becomes readable, before it is answered. */
  note(commit: StoredCommit): void
  /** Commits of these projects became readable without a call of `note`: what is kept of them may be old. */
  forget(isOf: ProjectFilter): void
}

/**
 * Telemetry: trace versions and steps, as far as they are readable. A trace may be stored in several versions; the
 * greatest counts. Versions are never changed in place. A step is written once, unless it is a span that its sender
 * corrects: then it too has several versions, at one position. The log (ports/log) writes all of it.
 */
export interface TraceReads {
  /**
   * Newest versions up to `atVersion`, tombstones included, in no order. Unknown ids are left out. `atVersion` MUST be
   * the last commit's or a later one: earlier versions that a newer one has replaced may be gone, and then the nearest
   * one that exists is returned.
   */
  findTraces(projectId: ProjectId, ids: readonly TraceId[], atVersion: number): Promise<TraceRecord[]>

  /** Those of these ids that a trace of any project has, deleted or not, unless its rows are removed. */
  findTaken(ids: readonly TraceId[]): Promise<ReadonlySet<TraceId>>

  /**
   * Candidates in the requested order, at most `limit`; stale versions of a trace may be among them. A caller that gets
   * fewer than `limit` has all of them. For `created_at` an id occurs once, and with `words` the terms need not match.
   * For the other sorts, versions of one trace with the same key come greatest first: a caller that continues after the
   * first of them misses nothing.
   */
  findFeedCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]>

  /** Of each of these traces the first step that has all the words, if one has; in no order. */
  findStepHits(projectId: ProjectId, traceIds: readonly TraceId[], words: readonly string[]): Promise<StepHit[]>

  /**
   * The newest version of a trace up to `atVersion`, as `findTraces` gives it, and the beginning of its steps: at most
   * FIRST_STEPS, from position 0 without holes. It ends before a step that is too large, and may be empty at any time.
   */
  openTrace(projectId: ProjectId, traceId: TraceId, atVersion: number): Promise<OpenedTrace>

  /**
   * Steps with `position >= fromPosition` and `version <= maxVersion`, by position, at most `limit`. Of a step with
   * several versions, the greatest of these. If a greater one has replaced it meanwhile, it may be missing: then the
   * trace has a later version too.
   */
  findSteps(query: StepRange): Promise<StepRecord[]>
  /** The same range without bodies: positions and stored body sizes in bytes. */
  findStepSizes(query: StepRange): Promise<{ readonly position: number; readonly bodyBytes: number }[]>
  /** The same range without bodies. */
  findStepHeads(query: StepRange): Promise<StepHead[]>
  /** The newest traces that have a step with this id, newest first, at most `limit`. Deleted ones may be among them. */
  findTracesOfStep(projectId: ProjectId, stepId: StepId, limit: number): Promise<TraceId[]>
  /** Those of `places` where a step with `version <= maxVersion` is, in no order. */
  findStepsAmong(projectId: ProjectId, places: readonly StepPlace[], maxVersion: number): Promise<StepPlace[]>

  /** Those of the traces with such an event, on the trace or on a step of it. */
  findScored(projectId: ProjectId, by: ScoredBy, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>>
  /** Bounds on the ids of all traces with such an event; null without one. They may be wider than these traces. */
  findScoredBounds(projectId: ProjectId, by: ScoredBy): Promise<IdBounds | null>

  /**
   * One step of removing the rows of a batch of deleted traces from the files, metric events included. Call it again
   * with the same array until it returns the traces that are gone completely. One batch at a time: a call with another
   * array ends the previous batch. The engine may keep replaced files for about a minute more. Readers see nothing of
   * it: the newest version is a tombstone, which is removed last.
   */
  purgeTraces(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]>
  /** The same of removed metric events. Resolves with whether they are gone. Call it while no traces are purged. */
  purgeEvents(events: readonly RemovalMark[]): Promise<boolean>
  /** Bytes on disk. */
  sizeBytes(): Promise<number>
}

/** Both inclusive. */
export interface IdBounds {
  readonly lowestId: TraceId
  readonly highestId: TraceId
}

/** A step that a search found. */
export interface StepHit {
  readonly traceId: TraceId
  readonly position: number
  readonly stepId: StepId
  /** Of more than HIT_TEXT_BYTES only what is around the place of the first word. */
  readonly texts: readonly string[]
}

/** The most texts of a hit, bytes: a page of them is held. */
export const HIT_TEXT_BYTES = 64 * 1024

/** How much `TraceReads.openTrace` reads: the first `count` steps up to one with a body of more than `bodyBytes`. */
export const FIRST_STEPS = { count: 32, bodyBytes: 16 * 1024 } as const

export interface OpenedTrace {
  /** Undefined when there is none. */
  readonly trace: TraceRecord | undefined
  readonly firstSteps: readonly StepRecord[]
}

export interface StepRange {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly fromPosition: number
  readonly limit: number
  readonly maxVersion: number
}

/** A step is known by its trace and its id: clients choose ids, and another trace may have the same. */
export interface StepPlace {
  readonly traceId: TraceId
  readonly stepId: StepId
}

export interface StoredTrace {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  /** The numbers of its metric events stay, without its id and texts. */
  readonly isExpired?: true
}
