import type { MetricEventVerdict } from '../../ports/journal/metric-event.ts'
import type { AttachmentId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { creationTime } from '../../ports/journal/creation-time.ts'
import type {
  AttachmentLink,
  ClusterRunEvents,
  JournalEvent,
  QuietWait,
  StepKey,
  SupersededKeys,
  TraceKey,
  TraceName,
} from '../../ports/journal/journal.ts'
import type { MonitorTransition } from '../../ports/journal/monitor-transition.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import { atOnce } from '../../lib/flow/in-slices.ts'
import type { CommitPlan } from '../../ports/log/log.ts'
import type { StoredBytes } from '../../ports/media/media-record.ts'
import { toMediaUri } from '../../ports/media/media-uri.ts'
import type { PreparedSpan, PreparedStep, PreparedTrace, StoredStep } from '../../ports/traces/prepared.ts'
import { keyForParent } from '../otlp/filter-spans.ts'
import { mergeSpanFacts, type MetadataLimits } from './merge-span-facts.ts'
import { MetricEventBatch, type MetricEventContext, type NewScore } from './metric-event-batch.ts'
import {
  addSteps,
  durationOf,
  type IdentifiedStep,
  NO_STEPS,
  replaceStep,
  rollupOf,
  sumsOf,
  totalTokens,
  withRollup,
  withStatus,
} from './rollup.ts'
import type { ContextLimit } from '../../ports/prices/bill.ts'
import { UsageTree } from './usage-tree.ts'
import { EMPTY_DIGEST } from './trace-digest.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import { hasRoot, type TraceRecord } from '../../ports/traces/trace-record.ts'
import type { NewMetricEvent, NewStep } from '../../ports/traces/trace-store.ts'
import type { TracePatch } from '../use-cases.ts'

/** What a commit needs from outside. It does not change during the commit. */
export interface CommitContext extends MetricEventContext {
  readonly version: number
  /** Receive time of all rows of the commit, milliseconds. */
  readonly now: number
  newTraceId(): TraceId
  newStepId(): StepId
  /** The latest committed version. A trace MUST be held in memory before an operation on it enters a commit. */
  currentTrace(id: TraceId): TraceRecord
  newAttachmentId(): AttachmentId
  /** Maximum number of attachments of a trace. */
  readonly mostAttachments: number
  /** Limits of the metadata that spans give to their trace. */
  readonly metadataLimits: MetadataLimits
  readonly contextLimit: ContextLimit
  /** The usage of the steps of a held trace, of some version of it; null if it is not in memory. */
  usageTree(id: TraceId): UsageTree | null
}

export interface CreatedTrace {
  readonly id: TraceId
  readonly stepIds: StepId[]
  readonly committedAt: number
}

export type StepVerdict =
  | { readonly status: 'created' | 'duplicate'; readonly stepId: StepId }
  | {
      readonly status: 'error'
      readonly code: 'idempotency_conflict' | 'step_id_conflict' | 'attachment_not_found' | 'too_many'
      readonly detail: string
    }

/** What became of spans of one trace. */
export type SpansOutcome =
  | {
      readonly status: 'taken'
      readonly traceId: TraceId
      /** Spans that have come before with other content. Read their steps, then add them as corrections. */
      readonly changed: readonly PreparedSpan[]
      /** Why spans are refused for good, one reason for each. */
      readonly refused: readonly string[]
    }
  | { readonly status: 'deleted' }
  /** The alias means this trace, which must be held first, with the keys of the steps looked up. */
  | { readonly status: 'not_held'; readonly traceId: TraceId }

/** The trace that the caller of `addSpans` holds. */
export interface HeldSpans {
  readonly traceId: TraceId
  /**
   * Stored versions of steps, as of this version of the trace. Null: no span is corrected. The caller MUST have looked
   * up the keys by `correctionKey`.
   */
  readonly stored: { readonly version: number; readonly steps: ReadonlyMap<StepId, StepRecord> } | null
}

/** Bytes by their SHA-256. */
export type StagedBytes = ReadonlyMap<string, StoredBytes>

export interface SpanOptions {
  /** Media that the spans name and the project may not have. */
  readonly staged: StagedBytes
  /** Each step leaves a key for its parent; see filter-spans.ts. The caller MUST have looked these keys up. */
  readonly marksParents: boolean
}

/** The key by which a span that is the trace itself is known. */
export function traceSpanKey({ id }: PreparedStep): string {
  return `t${id}`
}

/** The key by which a content is known that has replaced the first one of a span. */
export function correctionKey({ id, contentHash }: PreparedStep): string {
  return `c${id}:${contentHash}`
}

const NONE_STAGED: StagedBytes = new Map()
const NO_OPTIONS: SpanOptions = { staged: NONE_STAGED, marksParents: false }

/** The content of a tombstone. It is small, because a deletion must fit on a full disk. */
const NO_CONTENT = {
  name: '',
  metadata: Buffer.from('{}'),
  sessionId: null,
  userId: null,
  flagReason: null,
  models: [],
  digest: EMPTY_DIGEST,
} as const satisfies Partial<TraceRecord>

/**
 * One group commit in preparation. Operations are applied in sequence, and each sees the effects of the earlier ones.
 * Nothing outside the batch changes until the caller has made the result durable.
 */
export class CommitBatch {
  readonly steps: NewStep[] = []
  readonly #context: CommitContext
  readonly #traces = new Map<TraceId, TraceRecord>()
  readonly #events = new Map<ProjectId, JournalEvent[]>()
  readonly #traceKeys = new Map<string, TraceKey>()
  readonly #stepKeys = new Map<string, StepKey>()
  readonly #metricEvents: MetricEventBatch
  readonly #superseded = new Map<TraceId, SupersededKeys>()
  readonly #attachments: AttachmentLink[] = []
  readonly #linked = new Map<TraceId, number>()
  readonly #deleted: { projectId: ProjectId; traceId: TraceId }[] = []
  readonly #monitorTransitions: MonitorTransition[] = []
  readonly #clusterRuns: ClusterRunEvents[] = []
  /** Traces that do not wait to become complete any more. */
  readonly #waitEnds: QuietWait[] = []
  /** Traces that this commit creates: no earlier commit has steps of them. */
  readonly #created = new Set<TraceId>()
  /** Those that this commit has changed. */
  readonly #trees = new Map<TraceId, UsageTree>()
  #lastTraceId: TraceId | null = null

  constructor(context: CommitContext) {
    this.#context = context
    this.#metricEvents = new MetricEventBatch(context)
  }

  /**
   * Returns the existing trace, and creates nothing, if this commit or an earlier one used the key. Yields between
   * steps; no other operation may be applied before it has ended.
   */
  *create(
    projectId: ProjectId,
    prepared: PreparedTrace,
    key: { readonly key: string; readonly bodyHash: string } | null,
  ): Generator<void, CreatedTrace | TraceKey> {
    const known = key === null ? undefined : this.#findTraceKey(projectId, key.key)
    if (known !== undefined) return known
    this.#refuseLinks(projectId, prepared.steps)
    const id = this.#context.newTraceId()
    const empty: TraceRecord = {
      ...this.#emptyTrace(projectId, id),
      name: prepared.name,
      runType: prepared.runType,
      ownStatus: prepared.ownStatus,
      metadata: prepared.metadata,
      sessionId: prepared.sessionId,
      userId: prepared.userId,
      ownStartedAt: prepared.startedAt,
      ownEndedAt: prepared.endedAt,
      growing: prepared.steps.length === 0 && prepared.endedAt === null,
    }
    const stepIds = yield* this.#place(empty, prepared.steps)
    let trace = this.#withSteps(empty, prepared.steps, stepIds, this.#treeFor(empty, prepared.steps))
    this.#lastTraceId = id
    this.#created.add(id)
    if (key !== null) this.#traceKeys.set(`${projectId}${key.key}`, { projectId, traceId: id, ...key })
    this.#event(projectId, { type: 'trace.committed', traceId: id })
    if (trace.status === 'error') {
      trace = { ...trace, flagged: true }
      this.#event(projectId, { type: 'trace.flagged', traceId: id, reason: null })
    }
    if (!trace.growing) this.#event(projectId, { type: 'trace.completed', traceId: id })
    this.#traces.set(id, trace)
    return { id, stepIds, committedAt: trace.createdAt }
  }

  /** Null when the trace is deleted. */
  append(traceId: TraceId, steps: readonly PreparedStep[]): StepVerdict[] | null {
    const before = this.#begin(traceId)
    if (before.deleted) return null
    const verdicts: StepVerdict[] = []
    const fresh: PreparedStep[] = []
    const created: { status: 'created'; stepId: StepId }[] = []
    // A look-up may throw half-way, so the batch is changed only after all steps are checked.
    const keys = new Map<string, StepKey>()
    let left = steps.some(({ attachments }) => attachments.length > 0) ? this.#attachmentsLeft(traceId) : 0
    for (const step of steps) {
      const known = this.#recognise(traceId, step, keys)
      if (known !== null) {
        verdicts.push(known)
        continue
      }
      const refusal = step.attachments.length === 0 ? null : this.#checkLinks(before.projectId, step, left)
      if (refusal !== null) {
        verdicts.push(refusal)
        continue
      }
      left -= step.attachments.length
      const stepId = step.id ?? this.#context.newStepId()
      addKeys(keys, traceId, step, stepId)
      const verdict = { status: 'created' as const, stepId }
      verdicts.push(verdict)
      created.push(verdict)
      fresh.push(step)
    }
    if (fresh.length === 0) return verdicts
    const tree = this.#treeFor(before, fresh)
    for (const [place, key] of keys) this.#stepKeys.set(place, key)
    const ids = created.map((verdict) => verdict.stepId)
    atOnce(this.#write(before, fresh, ids))
    this.#change(before, this.#withSteps(before, fresh, ids, tree), null)
    return verdicts
  }

  /**
   * Spans of one trace that OpenTelemetry knows by another id: `alias` is the key under which the trace is known. The
   * first spans create it. A span that has come before with the same content changes nothing; with other content it
   * replaces its step if it ends later.
   */
  addSpans(
    projectId: ProjectId,
    alias: { readonly key: string; readonly bodyHash: string },
    held: HeldSpans | null,
    spans: readonly PreparedSpan[],
    options: SpanOptions = NO_OPTIONS,
  ): SpansOutcome {
    this.#refuseMissing(projectId, spans, options.staged)
    const known = this.#findTraceKey(projectId, alias.key)
    if (known === undefined) return this.#createOfSpans(projectId, alias, spans, options)
    const { traceId } = known
    if (traceId !== held?.traceId && !this.#created.has(traceId)) return { status: 'not_held', traceId }
    const before = this.#begin(traceId)
    if (before.deleted) return { status: 'deleted' }
    // Another operation of this commit may have changed the steps that the caller has read.
    const stored = held?.stored?.version === before.version ? held.stored.steps : null
    return this.#addTo(before, spans, stored, options)
  }

  /** Media that came with the spans existed, or was stored, before the plan, but may have been deleted since. */
  #refuseMissing(projectId: ProjectId, spans: readonly PreparedSpan[], staged: StagedBytes): void {
    const isStaged = (sha256: string) => staged.has(sha256) && staged.get(sha256)?.isGone !== true
    const isThere = (sha256: string) => isStaged(sha256) || this.#context.known.hasMedia(projectId, sha256)
    for (const { step, links } of spans) {
      if (step.attachments.every((sha256) => links.includes(sha256) || isThere(sha256))) continue
      const detail = 'Media of the spans was deleted with another trace meanwhile; send the request again.'
      throw new DomainError('storage_unavailable', detail, { retryAfterSeconds: 1 })
    }
  }

  /** No span has more media than a trace may have, so the first one is taken. */
  #createOfSpans(
    projectId: ProjectId,
    alias: { readonly key: string; readonly bodyHash: string },
    spans: readonly PreparedSpan[],
    options: SpanOptions,
  ): SpansOutcome {
    const id = this.#context.newTraceId()
    const empty = { ...this.#emptyTrace(projectId, id), growing: true }
    this.#lastTraceId = id
    this.#created.add(id)
    this.#traceKeys.set(`${projectId}${alias.key}`, { projectId, traceId: id, ...alias })
    this.#event(projectId, { type: 'trace.committed', traceId: id })
    return this.#addTo(empty, spans, null, options)
  }

  #addTo(
    before: TraceRecord,
    spans: readonly PreparedSpan[],
    stored: ReadonlyMap<StepId, StepRecord> | null,
    { staged, marksParents }: SpanOptions,
  ): SpansOutcome {
    const keys = new Map<string, StepKey>()
    const sorted = this.#sortSpans(before, spans, stored, keys, staged)
    const { fresh, replacing, changed, refused, ofTrace } = sorted
    if (marksParents) for (const { step } of [...fresh, ...ofTrace]) this.#markParent(before.id, step, keys)
    if (fresh.length + replacing.length + ofTrace.length > 0) {
      const tree = this.#treeOfSpans(before)
      for (const [place, key] of keys) this.#stepKeys.set(place, key)
      const steps = fresh.map(({ step }) => step)
      const ids = steps.map(({ id }) => id as StepId)
      atOnce(this.#write(before, steps, ids, staged))
      for (const { step } of ofTrace) tree.set(step.id as StepId, step.parentStepId, null, null)
      const { contextLimit, metadataLimits } = this.#context
      let rollup = addSteps(rollupOf(before), identified(before, steps, ids), tree, contextLimit)
      for (const { span, old, links } of replacing) {
        this.#replace(before, span.step, old)
        for (const sha256 of links) this.#link(before, old.id, sha256, staged)
        rollup = replaceStep(rollup, old, span.step, tree)
      }
      this.#keepTree(before.id, tree)
      const merged = mergeSpanFacts(
        before,
        [...fresh, ...replacing.map(({ span }) => span), ...ofTrace],
        metadataLimits,
      )
      this.#change(before, withRollup(merged, rollup), null)
    }
    return { status: 'taken', traceId: before.id, changed, refused }
  }

  /**
   * Spans that have not come before, each once; those that replace a step; those of which it is not known; and new
   * contents of spans that are the trace itself.
   */
  #sortSpans(
    { id: traceId, projectId }: TraceRecord,
    spans: readonly PreparedSpan[],
    stored: ReadonlyMap<StepId, StepRecord> | null,
    keys: Map<string, StepKey>,
    staged: StagedBytes,
  ) {
    const ofTrace = spans.filter((span) => span.isTrace && this.#isNewOfTrace(traceId, span.step, keys))
    const fresh: PreparedSpan[] = []
    const replacing: { readonly span: PreparedSpan; readonly old: StepRecord; readonly links: readonly string[] }[] = []
    const changed: PreparedSpan[] = []
    const refused: string[] = []
    const replaced = new Set<StepId>()
    let left = spans.some(({ step }) => step.attachments.length > 0) ? this.#attachmentsLeft(traceId) : 0
    for (const span of spans) {
      if (span.isTrace) continue
      const { step } = span
      const id = step.id as StepId
      const known = this.#findStepKey(traceId, `i${id}`, keys)
      if (known === undefined) {
        const missing = this.#missingLink(projectId, span, staged)
        if (missing !== undefined) {
          refused.push(missing)
          continue
        }
        if (step.attachments.length > left) {
          refused.push(this.#tooMany)
          continue
        }
        left -= step.attachments.length
        addKeys(keys, traceId, step, id)
        fresh.push(span)
        continue
      }
      // One without an end never ends later than another.
      if (known.contentHash === step.contentHash || step.endedAt === null) continue
      const old = replaced.has(id) ? undefined : stored?.get(id)
      if (old === undefined) {
        changed.push(span)
        continue
      }
      const key = correctionKey(step)
      if (this.#findStepKey(traceId, key, keys) !== undefined) continue
      if ((step.endedAt ?? -1) <= (old.endedAt ?? -1)) continue
      const links = step.attachments.filter((sha256) => !old.body.includes(toMediaUri({ projectId, sha256 })))
      const missing = this.#missingLink(projectId, span, staged)
      if (missing !== undefined || links.length > left) {
        refused.push(missing ?? this.#tooMany)
        continue
      }
      left -= links.length
      replaced.add(id)
      keys.set(`${traceId}${key}`, { traceId, key, stepId: id, contentHash: step.contentHash })
      replacing.push({ span, old, links })
    }
    return { fresh, replacing, changed, refused, ofTrace }
  }

  /** Whether no such content has come yet. Contents are merged into the trace in any order, so none is read before. */
  #isNewOfTrace(traceId: TraceId, step: PreparedStep, keys: Map<string, StepKey>): boolean {
    const { contentHash } = step
    const first = this.#findStepKey(traceId, traceSpanKey(step), keys)
    const key = first === undefined ? traceSpanKey(step) : correctionKey(step)
    if (first?.contentHash === contentHash || this.#findStepKey(traceId, key, keys) !== undefined) return false
    keys.set(`${traceId}${key}`, { traceId, key, stepId: step.id as StepId, contentHash })
    return true
  }

  /** Why a span is refused that links media which the project does not have. */
  #missingLink(projectId: ProjectId, { links }: PreparedSpan, staged: StagedBytes): string | undefined {
    const missing = links.find((sha256) => !staged.has(sha256) && !this.#context.known.hasMedia(projectId, sha256))
    if (missing === undefined) return undefined
    return `there is no media ${toMediaUri({ projectId, sha256: missing })} in the project`
  }

  #markParent(traceId: TraceId, step: PreparedStep, keys: Map<string, StepKey>): void {
    const key = keyForParent(step)
    if (key === null || this.#findStepKey(traceId, key, keys) !== undefined) return
    keys.set(`${traceId}${key}`, { traceId, key, stepId: step.id as StepId, contentHash: step.contentHash })
  }

  get #tooMany(): string {
    return `a trace has at most ${this.#context.mostAttachments} attachments`
  }

  #replace(trace: TraceRecord, prepared: PreparedStep, old: StepRecord): void {
    this.steps.push({
      projectId: trace.projectId,
      traceId: trace.id,
      traceCreatedAt: trace.createdAt,
      version: this.#context.version,
      id: old.id,
      position: old.position,
      parentStepId: prepared.parentStepId,
      parentInferred: false,
      receivedAt: this.#context.now,
      replaces: true,
      prepared: toStored(prepared),
    })
  }

  #emptyTrace(projectId: ProjectId, id: TraceId): TraceRecord {
    return {
      projectId,
      id,
      version: this.#context.version,
      createdAt: creationTime(id, this.#context.now),
      deleted: false,
      name: '',
      runType: 'agent',
      ownStatus: null,
      status: 'ok',
      flagged: false,
      flagReason: null,
      metadata: NO_CONTENT.metadata,
      sessionId: null,
      userId: null,
      ownStartedAt: null,
      ownEndedAt: null,
      ...sumsOf(NO_STEPS),
      spans: null,
      growing: false,
      updatedAt: null,
    }
  }

  /** The changed trace, or null when it is deleted. */
  patch(traceId: TraceId, change: TracePatch): TraceRecord | null {
    const before = this.#begin(traceId)
    if (before.deleted) return null
    const { reason } = change
    const marked = withStatus({ ...before, ownStatus: change.status ?? before.ownStatus })
    const flagged = (change.flagged ?? before.flagged) || becameFailed(before, marked)
    return this.#change(
      before,
      { ...marked, flagged, flagReason: flagged ? (reason ?? before.flagReason) : null },
      reason,
    )
  }

  /** False when it is deleted already. */
  delete(traceId: TraceId): boolean {
    const before = this.#begin(traceId)
    if (before.deleted) return false
    this.#put(before, { ...before, ...NO_CONTENT, deleted: true })
    this.#deleted.push({ projectId: before.projectId, traceId })
    if (before.growing) this.endWait({ projectId: before.projectId, traceId })
    return true
  }

  /**
   * Completes a growing trace with a root that no commit after `version` has changed. If no end of a root says how the
   * run ended, failed steps do. False when there is nothing to complete, or not yet.
   */
  complete(traceId: TraceId, version: number): boolean {
    const before = this.#begin(traceId)
    if (before.version > version) return false
    this.endWait({ projectId: before.projectId, traceId })
    if (before.deleted || !before.growing) return false
    const { spans } = before
    const isRooted = hasRoot(before)
    const givenUp = spans !== null && isUndecided(before) ? { ...spans, isGivenUp: true as const } : spans
    const after = withStatus({ ...before, growing: !isRooted, spans: givenUp })
    const failed = becameFailed(before, after)
    if (failed) this.#event(before.projectId, { type: 'trace.flagged', traceId, reason: null })
    if (isRooted) this.#event(before.projectId, { type: 'trace.completed', traceId })
    this.#put(before, { ...after, flagged: failed || before.flagged })
    return true
  }

  /** The trace does not wait to become complete any more. */
  endWait(trace: TraceName): void {
    this.#waitEnds.push({ ...trace, waits: false })
  }

  /** All traces MUST be held in memory. A metric event does not change its trace. */
  recordMetricEvents(scores: readonly NewScore[]): readonly MetricEventVerdict[] {
    const verdicts = this.#metricEvents.add(scores, (id) => this.#begin(id))
    for (const verdict of verdicts) {
      if (verdict.status !== 'created') continue
      const { projectId, traceId, id } = verdict.event
      this.#event(projectId, { type: 'metric.event', traceId, eventId: id })
    }
    return verdicts
  }

  /** The journal validates it inside its transaction; see `CommitRecord.monitorTransitions`. */
  recordTransition(transition: MonitorTransition): void {
    this.#monitorTransitions.push(transition)
    const type = transition.to === 'fired' ? 'monitor.fired' : 'monitor.resolved'
    this.#event(transition.projectId, { type, transition })
  }

  /** The journal validates it inside its transaction; see `CommitRecord.clusterRuns`. */
  recordClusterRun(run: ClusterRunEvents): void {
    this.#clusterRuns.push(run)
    for (const event of run.events) this.#event(run.projectId, event)
  }

  get metricEvents(): readonly NewMetricEvent[] {
    return this.#metricEvents.events
  }

  /** Latest versions that this commit writes, one for each changed trace. */
  get traces(): readonly TraceRecord[] {
    return [...this.#traces.values()]
  }

  get isEmpty(): boolean {
    const stateChanges = this.#monitorTransitions.length + this.#clusterRuns.length + this.#waitEnds.length
    return this.#traces.size === 0 && this.metricEvents.length === 0 && stateChanges === 0
  }

  /** `superseded` holds the previous sort keys of every changed trace. The log may drop those that no cursor needs. */
  toPlan(lastTraceId: TraceId | null): CommitPlan {
    return {
      version: this.#context.version,
      traces: this.traces,
      steps: this.steps,
      metricEvents: this.metricEvents,
      committedAt: this.#context.now,
      lastTraceId: this.#lastTraceId ?? lastTraceId,
      projects: [...this.#events].map(([projectId, events]) => ({ projectId, events })),
      traceKeys: [...this.#traceKeys.values()],
      stepKeys: [...this.#stepKeys.values()],
      metricEventKeys: this.#metricEvents.keys,
      superseded: [...this.#superseded.values()],
      attachments: this.#attachments,
      deleted: this.#deleted,
      monitorTransitions: this.#monitorTransitions,
      clusterRuns: this.#clusterRuns,
      quietWaits: this.#quietWaits(),
    }
  }

  /** Every change of a growing trace that has a root, or has failed steps, lets its wait begin anew. */
  #quietWaits(): readonly QuietWait[] {
    const waiting = this.traces.filter(
      (trace) => trace.growing && !trace.deleted && (hasRoot(trace) || isUndecided(trace)),
    )
    return [...this.#waitEnds, ...waiting.map(({ projectId, id }) => ({ projectId, traceId: id, waits: true }))]
  }

  /** Of growing traces that this commit has changed. They are right as long as it is not discarded. */
  get usageTrees(): readonly (readonly [TraceId, UsageTree])[] {
    return [...this.#trees].filter(([id]) => this.#traces.get(id)?.growing === true)
  }

  /** MUST be called if the plan is not committed: trees in memory have been changed for it. */
  discard(): void {
    for (const tree of this.#trees.values()) tree.version = NO_VERSION
  }

  /** Null for steps whose usage is a plain sum. Throws UsageTreeMissing; nothing has changed then. */
  #treeFor(before: TraceRecord, steps: readonly PreparedStep[]): UsageTree | null {
    const isNested = before.spans !== null || before.digest.nesting !== 'none'
    return isNested || steps.some(({ parentStepId }) => parentStepId !== null) ? this.#treeOfSpans(before) : null
  }

  #treeOfSpans({ id, version, stepCount }: TraceRecord): UsageTree {
    const known = this.#trees.get(id) ?? this.#context.usageTree(id)
    if (known?.version === version) return known
    if (stepCount > 0) throw new UsageTreeMissing(id)
    return new UsageTree(this.#context.contextLimit, version)
  }

  #withSteps(
    before: TraceRecord,
    steps: readonly PreparedStep[],
    ids: readonly StepId[],
    tree: UsageTree | null,
  ): TraceRecord {
    const rollup = addSteps(rollupOf(before), identified(before, steps, ids), tree, this.#context.contextLimit)
    if (tree !== null) this.#keepTree(before.id, tree)
    return withRollup(before, rollup)
  }

  #keepTree(id: TraceId, tree: UsageTree): void {
    tree.version = this.#context.version
    this.#trees.set(id, tree)
  }

  #begin(traceId: TraceId): TraceRecord {
    return this.#traces.get(traceId) ?? this.#context.currentTrace(traceId)
  }

  /** Steps of a new trace. The parser has checked that ids and keys are distinct, so all steps are created. */
  *#place(trace: TraceRecord, steps: readonly PreparedStep[]): Generator<void, StepId[]> {
    const ids: StepId[] = []
    for (const step of steps) {
      const id = step.id ?? this.#context.newStepId()
      ids.push(id)
      addKeys(this.#stepKeys, trace.id, step, id)
      yield
    }
    yield* this.#write(trace, steps, ids)
    return ids
  }

  *#write(
    trace: TraceRecord,
    steps: readonly PreparedStep[],
    ids: readonly StepId[],
    staged: StagedBytes = NONE_STAGED,
  ): Generator<void, void> {
    let previous = trace.lastStepId
    for (const [index, prepared] of steps.entries()) {
      const id = ids[index] as StepId
      const isRoot = prepared.parentStepId === null && prepared.mayBeRoot === true
      const inferred = prepared.parentStepId === null && previous !== null && !isRoot
      this.steps.push({
        projectId: trace.projectId,
        traceId: trace.id,
        traceCreatedAt: trace.createdAt,
        version: this.#context.version,
        id,
        position: trace.stepCount + index,
        parentStepId: prepared.parentStepId ?? (isRoot ? null : previous),
        parentInferred: inferred,
        receivedAt: this.#context.now,
        prepared: toStored(prepared),
      })
      previous = id
      for (const sha256 of prepared.attachments) this.#link(trace, id, sha256, staged)
      yield
    }
  }

  #link({ id: traceId, projectId }: TraceRecord, stepId: StepId, sha256: string, staged: StagedBytes): void {
    const stored = staged.get(sha256)
    const link = { id: this.#context.newAttachmentId(), projectId, traceId, stepId, sha256 }
    this.#attachments.push(stored === undefined ? link : { ...link, stored })
    this.#linked.set(traceId, (this.#linked.get(traceId) ?? 0) + 1)
  }

  /** For a new trace. The media existed when the body was parsed, but may have been deleted since. */
  #refuseLinks(projectId: ProjectId, steps: readonly PreparedStep[]): void {
    let left = this.#context.mostAttachments
    steps.forEach((step, index) => {
      if (step.attachments.length === 0) return
      const refusal = this.#checkLinks(projectId, step, left)
      left -= step.attachments.length
      if (refusal?.status !== 'error') return
      const { code, detail } = refusal
      const pointer = `/steps/${index}/attachments`
      throw invalid({ pointer, code, detail })
    })
  }

  #checkLinks(projectId: ProjectId, { attachments }: PreparedStep, left: number): StepVerdict | null {
    const { known, mostAttachments } = this.#context
    const missing = attachments.find((sha256) => !known.hasMedia(projectId, sha256))
    if (missing !== undefined) {
      const detail = `There is no media \`media://${projectId}/${missing}\` in the project any more.`
      return { status: 'error', code: 'attachment_not_found', detail }
    }
    if (attachments.length <= left) return null
    return { status: 'error', code: 'too_many', detail: `A trace has at most ${mostAttachments} attachments.` }
  }

  /** How many more attachments the trace may get, after those in this batch. */
  #attachmentsLeft(traceId: TraceId): number {
    const { known, mostAttachments } = this.#context
    const before = this.#created.has(traceId) ? 0 : known.attachmentsOf(traceId)
    return mostAttachments - before - (this.#linked.get(traceId) ?? 0)
  }

  /** Finds a stored step by its idempotency key or by the id that the client chose; null if it is new. */
  #recognise(traceId: TraceId, step: PreparedStep, keys: ReadonlyMap<string, StepKey>): StepVerdict | null {
    if (step.idempotencyKey !== null) {
      const known = this.#findStepKey(traceId, `k${step.idempotencyKey}`, keys)
      if (known !== undefined) {
        if (known.contentHash === step.contentHash) return { status: 'duplicate', stepId: known.stepId }
        const detail = `The idempotency key was used for step ${known.stepId} with other content.`
        return { status: 'error', code: 'idempotency_conflict', detail }
      }
    }
    if (step.id !== null) {
      const known = this.#findStepKey(traceId, `i${step.id}`, keys)
      if (known !== undefined) {
        if (known.contentHash === step.contentHash) return { status: 'duplicate', stepId: known.stepId }
        return {
          status: 'error',
          code: 'step_id_conflict',
          detail: `Step ${step.id} exists in this trace with other content.`,
        }
      }
    }
    return null
  }

  #findTraceKey(projectId: ProjectId, key: string): TraceKey | undefined {
    return this.#traceKeys.get(`${projectId}${key}`) ?? this.#context.known.traceKey(projectId, key)
  }

  #findStepKey(traceId: TraceId, key: string, fresh: ReadonlyMap<string, StepKey>): StepKey | undefined {
    const place = `${traceId}${key}`
    const found = fresh.get(place) ?? this.#stepKeys.get(place)
    if (found !== undefined || this.#created.has(traceId)) return found
    return this.#context.known.stepKey(traceId, key)
  }

  /** Writes a change. If it makes the trace failed or flagged, it adds one `trace.flagged` for the operation. */
  #change(before: TraceRecord, after: TraceRecord, reason: string | null): TraceRecord {
    const failed = becameFailed(before, after)
    if (failed || (!before.flagged && after.flagged)) {
      this.#event(before.projectId, { type: 'trace.flagged', traceId: before.id, reason })
    }
    const updatedAt = before.version < this.#context.version ? this.#context.now : before.updatedAt
    return this.#put(before, { ...after, flagged: failed || after.flagged, updatedAt })
  }

  #put(before: TraceRecord, after: TraceRecord): TraceRecord {
    const { version } = this.#context
    const trace = { ...after, version }
    const tree = this.#trees.get(before.id) ?? this.#context.usageTree(before.id)
    if (tree?.version === before.version) this.#keepTree(before.id, tree)
    if (before.version < version) {
      this.#superseded.set(before.id, {
        projectId: before.projectId,
        traceId: before.id,
        fromVersion: before.version,
        untilVersion: version,
        durationMs: durationOf(before),
        totalTokens: totalTokens(before.tokenUsage),
        stepCount: before.stepCount,
        usage: before.digest.usage,
      })
    }
    this.#traces.set(before.id, trace)
    return trace
  }

  #event(projectId: ProjectId, event: JournalEvent): void {
    const events = this.#events.get(projectId)
    if (events === undefined) this.#events.set(projectId, [event])
    else events.push(event)
  }
}

/** The version of a tree that is not right. */
const NO_VERSION = -1

/** The usage of the trace's steps must be read first. */
export class UsageTreeMissing extends Error {
  readonly traceId: TraceId

  constructor(traceId: TraceId) {
    super(`the usage tree of ${traceId} is not in memory`)
    this.traceId = traceId
  }
}

function identified(
  { stepCount }: TraceRecord,
  steps: readonly PreparedStep[],
  ids: readonly StepId[],
): readonly IdentifiedStep[] {
  return steps.map((prepared, at) => ({ id: ids[at] as StepId, position: stepCount + at, prepared }))
}

/** Whether only failed steps say how the run ended, and it may go on. */
function isUndecided({ spans, ownStatus, failedSteps }: TraceRecord): boolean {
  return failedSteps > 0 && ownStatus === null && spans?.rootStatus === null && spans.isGivenUp !== true
}

/** Previews would keep the texts alive that they are cut from. */
function toStored({ said: _said, ...stored }: PreparedStep): StoredStep {
  return stored
}

function addKeys(keys: Map<string, StepKey>, traceId: TraceId, step: PreparedStep, stepId: StepId): void {
  const { contentHash } = step
  for (const key of stepKeyNames(step)) keys.set(`${traceId}${key}`, { traceId, key, stepId, contentHash })
}

/** The keys by which a step can be recognised in its trace; see `StepKey.key`. */
export function stepKeyNames({ id, idempotencyKey }: PreparedStep): string[] {
  const names: string[] = []
  if (idempotencyKey !== null) names.push(`k${idempotencyKey}`)
  if (id !== null) names.push(`i${id}`)
  return names
}

function becameFailed(before: TraceRecord, after: TraceRecord): boolean {
  return before.status === 'ok' && after.status === 'error'
}
