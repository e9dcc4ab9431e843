import type { MetricId, MonitorId, ProjectId } from '@spoor/contract/ids'
import { DEFAULT_LIMITS, type Limits } from '@spoor/contract/limits'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { CommitRecord, Journal, JournalEvent } from '../ports/journal/journal.ts'
import type { EmbeddedJournal } from '../storage/embedded/embedded-journal.ts'
import type { MonitorTransition } from '../ports/journal/monitor-transition.ts'
import { DomainError } from '../lib/domain-error.ts'
import { createIdGenerator } from '../lib/ids/ids.ts'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { memoryOnlyMonitors } from '../storage/sql/monitors/memory-only-monitors.test-support.ts'
import { MemoryMeasures } from '../ports/monitors/memory-measures.test-support.ts'
import type { WatchableMetric } from './metric-lookup.ts'
import type { MonitorDraft } from './monitor-draft.ts'
import { MonitorEvaluator, type MonitorEvaluatorDependencies } from './monitor-evaluator.ts'
import type { MeasureFilters } from '../ports/monitors/monitor-measures.ts'
import { createMonitorService, type MonitorServiceDependencies } from './monitor-service.ts'
import type { LeaseStore } from '../ports/leases/lease-store.ts'
import type { HistoryEntry, MonitorStore } from '../ports/monitors/monitor-store.ts'
import type { Monitor } from '../ports/monitors/monitor.ts'
import type { MonitorUseCases } from './use-cases.ts'

/** A Tuesday at noon, and an evaluation time. */
export const NOON = Date.UTC(2026, 2, 3, 12)
export const INTERVAL_MS = 15_000

const idsOf = createIdGenerator({ now: () => NOON }, systemRandomBytes)
export const PROJECT: ProjectId = idsOf.newId('proj')
export const OTHER_PROJECT: ProjectId = idsOf.newId('proj')
export const SCORE: MetricId = idsOf.newId('met')
export const PASSED: MetricId = idsOf.newId('met')
const MOOD: MetricId = idsOf.newId('met')

const METRICS: Readonly<Record<string, WatchableMetric>> = {
  score: { id: SCORE, kind: 'numeric', options: [] },
  passed: { id: PASSED, kind: 'boolean', options: [] },
  mood: { id: MOOD, kind: 'enum', options: ['good', 'bad'] },
}

const NO_FILTERS: MeasureFilters = {
  ...toTraceFilters('monitors', {}),
  metadata: [],
  source: null,
}

/** Fires above 10, by the last minute's mean of `score`. */
export const DRAFT: MonitorDraft = {
  name: 'score',
  enabled: true,
  source: { kind: 'metric', metric: 'score', measure: null, option: null },
  filters: NO_FILTERS,
  forEach: null,
  aggregation: 'avg',
  windowMs: 60_000,
  comparison: 'gt',
  threshold: 10,
  resolveThreshold: null,
  minSamples: 1,
  consecutive: 1,
  noData: 'hold',
}

export interface MonitorWorldStores {
  readonly monitors: MonitorStore
  readonly leases: LeaseStore
  readonly journal: Journal & EmbeddedJournal
}

export interface MonitorWorldOptions {
  readonly projectIds?: readonly ProjectId[]
  readonly stores?: MonitorWorldStores
  readonly measures?: MemoryMeasures
  readonly limits?: Limits
  /** The only project that has metrics. */
  readonly metricsOf?: ProjectId
}

/** Monitors on the real control store, with in-memory measures and a clock that stands still. */
export class MonitorWorld {
  readonly timers: ManualTimers & { wallOffsetMs: number }
  readonly stores: MonitorWorldStores
  readonly measures: MemoryMeasures
  readonly useCases: MonitorUseCases
  readonly errors: { readonly message: string; readonly error: unknown }[] = []
  /** Runs before each commit of a transition: throw to make it fail. */
  beforeCommit: (transition: MonitorTransition) => Promise<void> = async () => undefined
  checkWords: (text: string) => void = (text) => {
    if (text === 'no words') throw new DomainError('full_text_disabled', 'There is no full text.')
  }
  afterCommit: (transition: MonitorTransition) => Promise<void> = async () => undefined
  readonly #dependencies: MonitorServiceDependencies & Omit<MonitorEvaluatorDependencies, 'holder'>

  constructor(options: MonitorWorldOptions = {}) {
    this.timers = Object.assign(new ManualTimers(), { wallOffsetMs: 0 })
    this.timers.advance(NOON)
    this.stores =
      options.stores ?? memoryOnlyMonitors(options.projectIds ?? [PROJECT, OTHER_PROJECT], { now: () => this.now() })
    this.measures = options.measures ?? new MemoryMeasures()
    const { monitors, leases } = this.stores
    const ids = createIdGenerator(this.timers, systemRandomBytes)
    this.#dependencies = {
      store: monitors,
      leases,
      measures: this.measures,
      findMetric: async (projectId, name) =>
        projectId === (options.metricsOf ?? PROJECT) && Object.hasOwn(METRICS, name) ? METRICS[name] : undefined,
      checkWords: (text) => this.checkWords(text),
      commitTransition: (transition) => this.#commit(transition),
      print: ({ name, definition, standing }) => JSON.stringify({ name, definition, standing }),
      clock: { now: () => this.now() },
      timers: this.timers,
      newId: () => ids.newId('mon'),
      limits: options.limits ?? DEFAULT_LIMITS,
      intervalMs: INTERVAL_MS,
      onError: (error, message) => this.errors.push({ error, message }),
    }
    this.useCases = createMonitorService(this.#dependencies)
  }

  /** By the wall clock, which may be set forward and back. */
  now(): number {
    return this.timers.now() + this.timers.wallOffsetMs
  }

  newEvaluator(overrides: Partial<MonitorEvaluatorDependencies> = {}): MonitorEvaluator {
    return new MonitorEvaluator({ ...this.#dependencies, holder: 'this one', ...overrides })
  }

  create(fields: Partial<MonitorDraft> = {}, projectId = PROJECT): Promise<Monitor> {
    return this.useCases.create(projectId, { ...DRAFT, ...fields })
  }

  score(value: number, at = this.now()): void {
    this.measures.add(PROJECT, { at, metricId: SCORE, value })
  }

  /** Advances time to each evaluation time in turn. */
  async pass(evaluator: MonitorEvaluator, byMs: number): Promise<void> {
    for (let left = byMs; left > 0; left -= INTERVAL_MS) {
      this.timers.advance(Math.min(left, INTERVAL_MS))
      await evaluator.idle()
    }
  }

  /** Every event of the project, in order. */
  async events(projectId: ProjectId = PROJECT): Promise<JournalEvent[]> {
    return (await this.stores.journal.read(projectId, 0, 100_000)).flatMap(({ events }) => events)
  }

  /** Oldest first. */
  async history(id: MonitorId): Promise<readonly HistoryEntry[]> {
    return (await this.stores.monitors.history(PROJECT, id, null, 100_000)).toReversed()
  }

  async find(id: MonitorId): Promise<Monitor> {
    return this.useCases.find(PROJECT, id)
  }

  async #commit(transition: MonitorTransition): Promise<void> {
    await this.beforeCommit(transition)
    const { journal } = this.stores
    journal.append(commitRecordOf(transition, journal.last().version + 1, this.now()))
    await this.afterCommit(transition)
  }
}

/** As the committer makes it, for one transition. */
export function commitRecordOf(transition: MonitorTransition, version: number, committedAt: number): CommitRecord {
  const type = transition.to === 'fired' ? 'monitor.fired' : 'monitor.resolved'
  return {
    version,
    committedAt,
    lastTraceId: null,
    projects: [{ projectId: transition.projectId, events: [{ type, transition }] }],
    traceKeys: [],
    stepKeys: [],
    metricEventKeys: [],
    superseded: [],
    attachments: [],
    deleted: [],
    removedEvents: [],
    monitorTransitions: [transition],
    onceEvents: [],
    quietWaits: [],
  }
}
