import type { AttachmentId, MetricEventId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type {
  AttachmentLink,
  OnceEvents,
  JournalEvent,
  MetricEventKey,
  QuietWait,
  StepKey,
  SupersededKeys,
  TraceKey,
} from '../../ports/journal/journal.ts'
import type { RemovedMetricEvent } from '../../ports/journal/metric-event.ts'
import type { MonitorTransition } from '../../ports/journal/monitor-transition.ts'
import type { CommitPlan, Known } from '../../ports/log/log.ts'
import type { ContextLimit } from '../../ports/prices/bill.ts'
import { hasRoot, type TraceRecord } from '../../ports/traces/trace-record.ts'
import type { NewMetricEvent, NewStep } from '../../ports/traces/trace-store.ts'
import type { MetadataLimits } from './merge-span-facts.ts'
import { durationOf, isUndecided, totalTokens } from '../rules/rollup.ts'
import { UsageTree } from '../rules/usage-tree.ts'
import { greatestOf } from '../../lib/ids/ids.ts'

/** What a commit needs from outside. It does not change during the commit. */
export interface CommitContext {
  readonly version: number
  /** Receive time of all rows of the commit, milliseconds. */
  readonly now: number
  newTraceId(): TraceId
  newStepId(): StepId
  newMetricEventId(): MetricEventId
  newAttachmentId(): AttachmentId
  readonly known: Known
  /** The latest committed version. A trace MUST be held in memory before an operation on it enters a commit. */
  currentTrace(id: TraceId): TraceRecord
  /** Maximum number of attachments of a trace. */
  readonly mostAttachments: number
  /** Limits of the metadata that spans give to their trace. */
  readonly metadataLimits: MetadataLimits
  readonly contextLimit: ContextLimit
  /** The usage of the steps of a held trace, of some version of it; null if it is not in memory. */
  usageTree(id: TraceId): UsageTree | null
}

/**
 * One group commit in preparation. Operations (plan/) are applied to it in sequence, and each sees the effects of the
 * earlier ones. Nothing outside the batch changes until the caller has made the result durable.
 */
export class CommitBatch {
  readonly context: CommitContext
  readonly steps: NewStep[] = []
  readonly metricEvents: NewMetricEvent[] = []
  readonly deleted: CommitPlan['deleted'][number][] = []
  readonly removedEvents: RemovedMetricEvent[] = []
  /** Traces that do not wait to become complete any more. */
  readonly waitEnds: QuietWait[] = []
  readonly #traces = new Map<TraceId, TraceRecord>()
  readonly #events = new Map<ProjectId, JournalEvent[]>()
  readonly #traceKeys = new Map<string, TraceKey>()
  readonly #stepKeys = new Map<string, StepKey>()
  readonly #metricEventKeys = new Map<string, MetricEventKey>()
  readonly #superseded = new Map<TraceId, SupersededKeys>()
  readonly #attachments: AttachmentLink[] = []
  readonly #linked = new Map<TraceId, number>()
  readonly #monitorTransitions: MonitorTransition[] = []
  readonly #onceEvents: OnceEvents[] = []
  /** Traces that this commit creates: no earlier commit has steps of them. */
  readonly #created = new Set<TraceId>()
  /** Those that this commit has changed. */
  readonly #trees = new Map<TraceId, UsageTree>()
  #lastTraceId: TraceId | null = null

  constructor(context: CommitContext) {
    this.context = context
  }

  /** The latest version of a trace that is held in memory, or that this commit creates. */
  latest(traceId: TraceId): TraceRecord {
    return this.#traces.get(traceId) ?? this.context.currentTrace(traceId)
  }

  creates(traceId: TraceId): boolean {
    return this.#created.has(traceId)
  }

  traceKey(projectId: ProjectId, key: string): TraceKey | undefined {
    return this.#traceKeys.get(`${projectId}${key}`) ?? this.context.known.traceKey(projectId, key)
  }

  stepKey(traceId: TraceId, key: string): StepKey | undefined {
    const found = this.#stepKeys.get(`${traceId}${key}`)
    return found !== undefined || this.creates(traceId) ? found : this.context.known.stepKey(traceId, key)
  }

  metricEventKey(traceId: TraceId, key: string): MetricEventKey | undefined {
    return this.#metricEventKeys.get(`${traceId}${key}`) ?? this.context.known.metricEventKey(traceId, key)
  }

  /** Number of attachments of a trace, with those of this commit. */
  attachmentsOf(traceId: TraceId): number {
    const before = this.creates(traceId) ? 0 : this.context.known.attachmentsOf(traceId)
    return before + (this.#linked.get(traceId) ?? 0)
  }

  /** A new trace, of which `put` writes the content. `key`: how its sender knows it. */
  create({ projectId, id }: TraceRecord, key: { readonly key: string; readonly bodyHash: string } | null): void {
    // The id of an imported trace may be less than those of earlier ones.
    this.#lastTraceId = greatestOf(this.#lastTraceId, id)
    this.#created.add(id)
    if (key !== null) this.#traceKeys.set(`${projectId}${key.key}`, { projectId, traceId: id, ...key })
    this.emit(projectId, { type: 'trace.committed', traceId: id })
  }

  put(before: TraceRecord, after: TraceRecord): TraceRecord {
    const { version } = this.context
    const trace = { ...after, version }
    const tree = this.#trees.get(before.id) ?? this.context.usageTree(before.id)
    if (tree?.version === before.version) this.keepTree(before.id, tree)
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

  addStepKeys(keys: readonly StepKey[]): void {
    for (const key of keys) this.#stepKeys.set(`${key.traceId}${key.key}`, key)
  }

  addMetricEvents(events: readonly NewMetricEvent[], keys: Iterable<MetricEventKey>): void {
    for (const key of keys) this.#metricEventKeys.set(`${key.traceId}${key.key}`, key)
    // No spread: there may be more events than a call accepts arguments.
    for (const event of events) this.metricEvents.push(event)
  }

  link(link: AttachmentLink): void {
    this.#attachments.push(link)
    this.#linked.set(link.traceId, (this.#linked.get(link.traceId) ?? 0) + 1)
  }

  emit(projectId: ProjectId, event: JournalEvent): void {
    const events = this.#events.get(projectId)
    if (events === undefined) this.#events.set(projectId, [event])
    else events.push(event)
  }

  /** The journal validates it inside its transaction; see `CommitRecord.monitorTransitions`. */
  recordTransition(transition: MonitorTransition): void {
    this.#monitorTransitions.push(transition)
    const type = transition.to === 'fired' ? 'monitor.fired' : 'monitor.resolved'
    this.emit(transition.projectId, { type, transition })
  }

  /** The journal validates it inside its transaction; see `CommitRecord.onceEvents`. */
  recordOnce(once: OnceEvents): void {
    this.#onceEvents.push(once)
    for (const event of once.events) this.emit(once.projectId, event)
  }

  /** Throws UsageTreeMissing; nothing has changed then. Whoever changes the tree MUST keep it. */
  usageTree({ id, version, stepCount }: TraceRecord): UsageTree {
    const known = this.#trees.get(id) ?? this.context.usageTree(id)
    if (known?.version === version) return known
    if (stepCount > 0) throw new UsageTreeMissing(id)
    return new UsageTree(this.context.contextLimit, version)
  }

  keepTree(id: TraceId, tree: UsageTree): void {
    tree.version = this.context.version
    this.#trees.set(id, tree)
  }

  /** Of growing traces that this commit, which became `version`, has changed. */
  treesOf(version: number): readonly (readonly [TraceId, UsageTree])[] {
    for (const tree of this.#trees.values()) tree.version = version
    return [...this.#trees].filter(([id]) => this.#traces.get(id)?.growing === true)
  }

  /** MUST be called if the plan is not committed: trees in memory have been changed for it. */
  discard(): void {
    for (const tree of this.#trees.values()) tree.version = NO_VERSION
  }

  /** Latest versions that this commit writes, one for each changed trace. */
  get traces(): readonly TraceRecord[] {
    return [...this.#traces.values()]
  }

  get isEmpty(): boolean {
    const stateChanges = this.#monitorTransitions.length + this.#onceEvents.length + this.waitEnds.length
    const eventChanges = this.metricEvents.length + this.removedEvents.length
    return this.#traces.size === 0 && eventChanges === 0 && stateChanges === 0
  }

  /** `superseded` holds the previous sort keys of every changed trace. The log may drop those that no cursor needs. */
  toPlan(lastTraceId: TraceId | null): CommitPlan {
    return {
      version: this.context.version,
      traces: this.traces,
      steps: this.steps,
      metricEvents: this.metricEvents,
      committedAt: this.context.now,
      lastTraceId: greatestOf(this.#lastTraceId, lastTraceId),
      projects: [...this.#events].map(([projectId, events]) => ({ projectId, events })),
      traceKeys: [...this.#traceKeys.values()],
      stepKeys: [...this.#stepKeys.values()],
      metricEventKeys: [...this.#metricEventKeys.values()],
      superseded: [...this.#superseded.values()],
      attachments: this.#attachments,
      deleted: this.deleted,
      removedEvents: this.removedEvents,
      monitorTransitions: this.#monitorTransitions,
      onceEvents: this.#onceEvents,
      quietWaits: this.#quietWaits(),
    }
  }

  /** Every change of a growing trace that has a root, or has failed steps, lets its wait begin anew. */
  #quietWaits(): readonly QuietWait[] {
    const waiting = this.traces.filter(
      (trace) => trace.growing && !trace.deleted && (hasRoot(trace) || isUndecided(trace)),
    )
    return [...this.waitEnds, ...waiting.map(({ projectId, id }) => ({ projectId, traceId: id, waits: true }))]
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
