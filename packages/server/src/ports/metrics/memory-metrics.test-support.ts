import type { KeyId, MetricEventId, MetricId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { type FilterNameOf, filterValues } from '@spoor/contract/trace-filters'
import type { MetricEventRecord, MetricEventVerdict } from '../journal/metric-event.ts'
import type { MetricDefinition } from './metric-definition.ts'
import { type EventOrigin, hasMetadata } from '../../metrics/event-origin.test-support.ts'
import type { MetricEventQuery, MetricEventStore } from './metric-event-store.ts'
import type { HashedScore, MetricRecorder } from '../../metrics/metric-recorder.ts'
import { MOST_SCORES } from '../../metrics/metric-recorder.ts'
import type { AddOutcome, MetricStore } from './metric-store.ts'

/** Definitions kept in memory. */
export class MemoryMetricStore implements MetricStore {
  readonly #definitions: MetricDefinition[] = []
  /** Thrown by every read. */
  failure: Error | null = null
  reads = 0

  async add(definition: MetricDefinition, mostOfProject: number): Promise<AddOutcome> {
    const own = this.#definitions.filter(({ projectId }) => projectId === definition.projectId)
    const present = own.find(({ name }) => name === definition.name)
    if (present !== undefined) return { status: 'exists', definition: present }
    if (own.length >= mostOfProject) return { status: 'full' }
    this.#definitions.push(definition)
    return { status: 'added' }
  }

  async change(projectId: ProjectId, name: string, apply: (definition: MetricDefinition) => MetricDefinition) {
    const at = this.#definitions.findIndex((known) => known.projectId === projectId && known.name === name)
    const present = this.#definitions[at]
    if (present === undefined) return undefined
    const next = apply(present)
    this.#definitions[at] = next
    return next
  }

  async findByName(projectId: ProjectId, name: string): Promise<MetricDefinition | undefined> {
    return this.#read((known) => known.projectId === projectId && known.name === name)
  }

  async findById(projectId: ProjectId, id: MetricId): Promise<MetricDefinition | undefined> {
    return this.#read((known) => known.projectId === projectId && known.id === id)
  }

  async hasAny(projectId: ProjectId): Promise<boolean> {
    return this.#definitions.some((known) => known.projectId === projectId)
  }

  async list(projectId: ProjectId, after: MetricId | null, limit: number): Promise<readonly MetricDefinition[]> {
    return this.#definitions
      .filter((known) => known.projectId === projectId && known.id > (after ?? ''))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit)
  }

  #read(isIt: (known: MetricDefinition) => boolean): MetricDefinition | undefined {
    this.reads += 1
    if (this.failure !== null) throw this.failure
    return this.#definitions.find(isIt)
  }
}

export interface MemoryEventsDependencies {
  locate(place: {
    readonly projectId: ProjectId
    readonly traceId: TraceId
    readonly stepId: StepId | null
  }): 'found' | 'no_trace' | 'no_step'
  newEventId(): MetricEventId
  now(): number
}

const PLAIN_ORIGIN: EventOrigin = { runType: 'agent', models: [], metadata: {} }

/** Metric events in memory: reads return the recorded events. Passes metric-event-store.conformance.ts. */
export class MemoryMetricEvents implements MetricRecorder, MetricEventStore {
  readonly events: MetricEventRecord[] = []
  readonly #hashes = new Map<MetricEventId, string>()
  readonly #origins = new Map<MetricEventId, EventOrigin>()
  readonly #dependencies: MemoryEventsDependencies
  /** Thrown by the next calls, one each. */
  readonly failures: Error[] = []
  /** Sizes of the calls so far. */
  readonly calls: number[] = []
  /** Awaited by every call. */
  gate: Promise<void> = Promise.resolve()

  constructor(dependencies: MemoryEventsDependencies) {
    this.#dependencies = dependencies
  }

  async recordMetricEvents(
    projectId: ProjectId,
    scores: readonly HashedScore[],
    createdBy: KeyId | null = null,
  ): Promise<readonly MetricEventVerdict[]> {
    if (scores.length > MOST_SCORES) throw new Error('more than a call takes')
    this.calls.push(scores.length)
    const failure = this.failures.shift()
    if (failure !== undefined) throw failure
    await this.gate
    return scores.map((score) => this.#record(projectId, score, createdBy))
  }

  async removeMetricEvent({ id }: MetricEventRecord): Promise<void> {
    this.events.splice(
      this.events.findIndex((event) => event.id === id),
      1,
    )
  }

  #record(projectId: ProjectId, { contentHash, ...score }: HashedScore, createdBy: KeyId | null): MetricEventVerdict {
    const { traceId, stepId, idempotencyKey } = score
    const located = this.#dependencies.locate({ projectId, traceId, stepId })
    if (located === 'no_trace') return { status: 'error', code: 'unknown_trace', detail: 'There is no such trace.' }
    if (located === 'no_step') return { status: 'error', code: 'unknown_step', detail: 'The trace has no such step.' }
    const first = this.events.find(
      (event) => idempotencyKey !== null && event.traceId === traceId && event.idempotencyKey === idempotencyKey,
    )
    if (first !== undefined) {
      if (this.#hashes.get(first.id) === contentHash) return { status: 'duplicate', eventId: first.id }
      return { status: 'error', code: 'idempotency_conflict', detail: 'The key was used with other content.' }
    }
    const { newEventId, now } = this.#dependencies
    const event = {
      ...score,
      projectId,
      id: newEventId(),
      createdBy,
      version: this.events.length + 1,
      createdAt: now(),
    }
    this.events.push(event)
    this.#hashes.set(event.id, contentHash)
    return { status: 'created', event }
  }

  async latestOf(
    projectId: ProjectId,
    metricIds: readonly MetricId[],
    traceIds: readonly TraceId[],
  ): Promise<readonly MetricEventRecord[]> {
    const matching = this.#present()
      .filter((event) => event.projectId === projectId)
      .filter((event) => metricIds.includes(event.metricId) && traceIds.includes(event.traceId))
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    return [...new Map(matching.map((event) => [`${event.traceId} ${event.metricId}`, event])).values()]
  }

  async findById(projectId: ProjectId, id: MetricEventId): Promise<MetricEventRecord | undefined> {
    return this.#present().find((event) => event.projectId === projectId && event.id === id)
  }

  async list(query: MetricEventQuery): Promise<readonly MetricEventRecord[]> {
    const { projectId, metricId, traceId, stepId, source, startTime, endTime, after, limit } = query
    const { metadata } = query
    const given = (name: FilterNameOf<'events'>) => filterValues(query, name).map(String)
    const passes = (name: 'run_type' | 'model', own: readonly string[]) => {
      const [wanted, unwanted] = [new Set(given(name)), new Set(given(`not_${name}`))]
      return (wanted.size === 0 || own.some((value) => wanted.has(value))) && !own.some((value) => unwanted.has(value))
    }
    return this.#present()
      .filter((event) => event.projectId === projectId)
      .filter((event) => metricId === null || event.metricId === metricId)
      .filter((event) => traceId === null || event.traceId === traceId)
      .filter((event) => stepId === null || event.stepId === stepId)
      .filter((event) => source === null || event.source === source)
      .filter((event) => passes('run_type', [this.#originOf(event).runType]))
      .filter((event) => passes('model', this.#originOf(event).models))
      .filter((event) => metadata.every((wanted) => hasMetadata(event, this.#originOf(event), wanted)))
      .filter((event) => event.at >= (startTime ?? -Infinity) && event.at < (endTime ?? Infinity))
      .filter((event) => after === null || event.at < after.at || (event.at === after.at && event.id < after.id))
      .toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
      .slice(0, limit)
  }

  async findByTraces(query: Parameters<MetricEventStore['findByTraces']>[0]): Promise<readonly MetricEventRecord[]> {
    const { projectId, traceIds, after, limit } = query
    const sorted = this.#present()
      .filter((event) => event.projectId === projectId && event.id > (after ?? ''))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const pages = traceIds.map((traceId) => sorted.filter((event) => event.traceId === traceId).slice(0, limit))
    return sorted.filter((event) => pages.some((page) => page.includes(event)))
  }

  async find(projectId: ProjectId, traceId: TraceId, id: MetricEventId): Promise<MetricEventRecord | undefined> {
    return this.#present().find(
      (event) => event.projectId === projectId && event.traceId === traceId && event.id === id,
    )
  }

  async findMany(
    projectId: ProjectId,
    places: readonly { readonly traceId: TraceId; readonly id: MetricEventId }[],
  ): Promise<readonly MetricEventRecord[]> {
    const found = await Promise.all(places.map(({ traceId, id }) => this.find(projectId, traceId, id)))
    return [...new Set(found)].filter((event) => event !== undefined)
  }

  /** Events as they stand, of traces that are like this. */
  put(events: readonly MetricEventRecord[], origin: EventOrigin = PLAIN_ORIGIN): void {
    this.events.push(...events)
    for (const { id } of events) this.#origins.set(id, origin)
  }

  #originOf({ id }: MetricEventRecord): EventOrigin {
    return this.#origins.get(id) ?? PLAIN_ORIGIN
  }

  /** Those of deleted traces are gone. */
  #present(): MetricEventRecord[] {
    return this.events.filter(
      ({ projectId, traceId }) => this.#dependencies.locate({ projectId, traceId, stepId: null }) === 'found',
    )
  }
}
