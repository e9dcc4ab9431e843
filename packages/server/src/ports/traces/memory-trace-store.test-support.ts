import type { RemovalMark } from '../journal/journal.ts'
import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import {
  type FilterName,
  filterTexts,
  filterValues,
  stepBoundsAmong,
  type StepFilters,
} from '@spoor/contract/trace-filters'
import { argumentFilterTerms } from '../../traces/rules/argument-terms.ts'
import { between, totalTokens } from '../../traces/rules/rollup.ts'
import { isScoredBy, type ScoredBy } from '../metrics/scored-by.ts'
import { hasQueryWords, searchedWords } from '../../traces/rules/search-text.ts'
import { costOfTrace, isWithin } from '../../traces/rules/trace-bounds.ts'
import { nameWords, traceTerms, wordTerm } from '../../traces/rules/terms.ts'
import type { MetricEventRecord } from '../journal/metric-event.ts'
import type { StepHead, StepRecord } from './step-record.ts'
import type { StepUsage, TraceRecord } from './trace-record.ts'
import {
  type FeedCandidate,
  type FeedCandidateQuery,
  FIRST_STEPS,
  type IdBounds,
  type NewStep,
  type OpenedTrace,
  type StepHit,
  type StepPlace,
  type StepRange,
  type StoredCommit,
  type StoredTrace,
  type TraceReads,
  UNKNOWN_DURATION,
} from './trace-store.ts'

const NO_USAGE: StepUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, more: null }

/**
 * A store in memory that passes trace-store.conformance.ts: lists of rows, of which every query scans all. A test
 * decides when old versions are removed.
 */
export class MemoryTraceStore implements TraceReads {
  #traces: readonly TraceRecord[] = []
  #steps: readonly NewStep[] = []
  #metricEvents: readonly MetricEventRecord[] = []
  /** Called before each read answers. */
  beforeRead: () => void = () => undefined

  /** Makes the rows of a commit readable. */
  add({ traces, steps, metricEvents }: StoredCommit): void {
    this.#traces = [...this.#traces, ...traces]
    this.#steps = [...this.#steps, ...steps]
    this.#metricEvents = [...this.#metricEvents, ...metricEvents.map(({ record }) => record)]
  }

  /** As the engine may at any time: of each trace that `chosen` picks, only the greatest version stays. */
  merge(chosen: (id: TraceId) => boolean = () => true): void {
    const greatest = (id: TraceId) =>
      Math.max(...this.#traces.filter((trace) => trace.id === id).map(({ version }) => version))
    this.#traces = this.#traces.filter(({ id, version }) => !chosen(id) || version === greatest(id))
  }

  /** Every metric event that is there, in the order they came. */
  get metricEvents(): readonly MetricEventRecord[] {
    return this.#metricEvents
  }

  async findTraces(projectId: ProjectId, ids: readonly TraceId[], atVersion: number): Promise<TraceRecord[]> {
    this.beforeRead()
    return [...new Set(ids)].flatMap((id) => {
      const versions = this.#traces
        .filter((trace) => trace.projectId === projectId && trace.id === id)
        .sort((a, b) => a.version - b.version)
      return versions.findLast(({ version }) => version <= atVersion) ?? versions[0] ?? []
    })
  }

  async findTaken(ids: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    this.beforeRead()
    return new Set(ids.filter((id) => this.#traces.some((trace) => trace.id === id)))
  }

  async openTrace(projectId: ProjectId, traceId: TraceId, atVersion: number): Promise<OpenedTrace> {
    const [trace] = await this.findTraces(projectId, [traceId], atVersion)
    const steps = this.#range({ projectId, traceId, fromPosition: 0, limit: FIRST_STEPS.count, maxVersion: atVersion })
    const end = steps.findIndex(
      ({ position, prepared }, at) => position !== at || prepared.body.length > FIRST_STEPS.bodyBytes,
    )
    return { trace, firstSteps: (end === -1 ? steps : steps.slice(0, end)).map(toRecord) }
  }

  async findFeedCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    this.beforeRead()
    const isSorted = query.sort !== 'created_at'
    const candidates = this.#traces
      .filter((trace) => this.#fits(trace, query))
      .map((trace) => ({
        id: trace.id,
        version: isSorted ? trace.version : 0,
        key: isSorted ? keyOf(trace, query) : 0,
      }))
      .filter((candidate) => query.after === null || compare(candidate, query.after, query) > 0)
      .sort((a, b) => compare(a, b, query) || b.version - a.version)
    const isRepeated = ({ id, version }: FeedCandidate, at: number) =>
      candidates[at - 1]?.id === id && candidates[at - 1]?.version === version
    return candidates.filter((candidate, at) => !isRepeated(candidate, at)).slice(0, query.limit)
  }

  async findStepHits(projectId: ProjectId, traceIds: readonly TraceId[], words: readonly string[]): Promise<StepHit[]> {
    this.beforeRead()
    return traceIds.flatMap((traceId) => {
      const range = { projectId, traceId, fromPosition: 0, limit: Infinity, maxVersion: Infinity }
      const hit = this.#range(range).find(({ prepared }) => hasQueryWords(searchedWords(prepared), words))
      if (hit === undefined) return []
      const { position, id, prepared } = hit
      return [{ traceId, position, stepId: id, texts: prepared.texts }]
    })
  }

  async findSteps(range: StepRange): Promise<StepRecord[]> {
    return this.#range(range).map(toRecord)
  }

  async findStepSizes(range: StepRange): Promise<{ position: number; bodyBytes: number }[]> {
    return this.#range(range).map(({ position, prepared }) => ({ position, bodyBytes: prepared.body.length }))
  }

  async findStepHeads(range: StepRange): Promise<StepHead[]> {
    return this.#range(range).map((step) => {
      const { body: _body, ...head } = toRecord(step)
      return head
    })
  }

  async findTracesOfStep(projectId: ProjectId, stepId: StepId, limit: number): Promise<TraceId[]> {
    this.beforeRead()
    const steps = this.#steps.filter((step) => step.projectId === projectId && step.id === stepId)
    return [...new Set(steps.map(({ traceId }) => traceId))].sort().toReversed().slice(0, limit)
  }

  async findStepsAmong(projectId: ProjectId, places: readonly StepPlace[], maxVersion: number): Promise<StepPlace[]> {
    this.beforeRead()
    return this.#steps
      .filter((step) => step.projectId === projectId && step.version <= maxVersion)
      .filter(({ traceId, id }) => places.some((place) => place.traceId === traceId && place.stepId === id))
      .map(({ traceId, id }) => ({ traceId, stepId: id }))
  }

  async findScored(projectId: ProjectId, by: ScoredBy, traceIds: readonly TraceId[]) {
    this.beforeRead()
    const scored = this.#metricEvents.filter((event) => event.projectId === projectId && isScoredBy(event, by))
    return new Set(scored.map(({ traceId }) => traceId)).intersection(new Set(traceIds))
  }

  async findScoredBounds(projectId: ProjectId, by: ScoredBy): Promise<IdBounds | null> {
    this.beforeRead()
    const scored = this.#metricEvents.filter((event) => event.projectId === projectId && isScoredBy(event, by))
    const ids = scored.map(({ traceId }) => traceId).sort()
    const [lowestId, highestId] = [ids[0], ids.at(-1)]
    return lowestId === undefined || highestId === undefined ? null : { lowestId, highestId }
  }

  /** Takes two calls: the first removes the rows, the second finds them gone. */
  async purgeTraces(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    const ids = new Set(traces.map(({ traceId }) => traceId))
    const left = new Set([
      ...this.#traces.map(({ id }) => id),
      ...this.#steps.map(({ traceId }) => traceId),
      ...this.#metricEvents.map(({ traceId }) => traceId),
    ])
    this.#traces = this.#traces.filter(({ id }) => !ids.has(id))
    this.#steps = this.#steps.filter(({ traceId }) => !ids.has(traceId))
    this.#metricEvents = this.#metricEvents.filter(({ traceId }) => !ids.has(traceId))
    return traces.filter(({ traceId }) => !left.has(traceId))
  }

  async purgeEvents(events: readonly RemovalMark[]): Promise<boolean> {
    const ids = new Set(events.map(({ id }) => id))
    this.#metricEvents = this.#metricEvents.filter(({ id }) => !ids.has(id))
    return true
  }

  async sizeBytes(): Promise<number> {
    return this.#steps.reduce((sum, { prepared }) => sum + prepared.body.length, 0)
  }

  #range({ projectId, traceId, fromPosition, limit, maxVersion }: StepRange): NewStep[] {
    return this.#steps
      .filter((step) => step.projectId === projectId && step.traceId === traceId)
      .filter(({ position, version }) => position >= fromPosition && version <= maxVersion)
      .sort((a, b) => a.position - b.position || a.version - b.version)
      .filter(({ position }, at, all) => all[at + 1]?.position !== position)
      .slice(0, limit)
  }

  #latestSteps({ projectId, id }: TraceRecord): NewStep[] {
    return this.#range({ projectId, traceId: id, fromPosition: 0, limit: Infinity, maxVersion: Infinity })
  }

  #fits(trace: TraceRecord, query: FeedCandidateQuery): boolean {
    const { created, words } = query
    if (trace.projectId !== query.projectId) return false
    if (trace.id < query.lowestId || trace.id > query.highestId) return false
    if (query.among?.includes(trace.id) === false) return false
    if (trace.createdAt < (created?.startTime ?? -Infinity) || trace.createdAt >= (created?.endTime ?? Infinity))
      return false
    if (query.sort !== 'created_at' && trace.version > (query.atVersion ?? Infinity)) return false
    const terms = new Set([...traceTerms(trace), ...nameWords(trace.name)])
    if (!isWithin(trace, query)) return false
    if (!query.termGroups.every((group) => group.some((term) => terms.has(term)))) return false
    if (query.steps !== null && !this.#latestSteps(trace).some((step) => passes(step, query.steps!))) return false
    if (words === null) return true
    const texts = this.#steps
      .filter(({ traceId }) => traceId === trace.id)
      .map(({ prepared }) => searchedWords(prepared))
    return hasQueryWords(terms, words.map(wordTerm)) || texts.some((text) => hasQueryWords(text, words))
  }
}

/** Costs of steps are left to the tests of the engine. */
function passes({ prepared: step }: NewStep, filters: Partial<StepFilters>): boolean {
  const duration = between(step.startedAt, step.endedAt)
  const values: Readonly<Record<string, readonly (string | null)[]>> = {
    step_name: [step.name],
    step_type: [step.type],
    step_model: [step.model],
    step_status: [step.status ?? 'ok'],
    step_error_type: [step.said.errorType],
    tool: step.calls.tools,
  }
  const hasOne = (name: string, negation: string) => {
    const wanted = filterValues(filters, `${negation}${name}` as FilterName)
    return wanted.length === 0 || wanted.some((value) => values[name]!.includes(String(value))) === (negation === '')
  }
  const hasArguments = (negation: '' | 'not_') =>
    filterTexts(filters, `${negation}argument`).every(([path, wanted]) => {
      const terms = wanted.flatMap((value) => argumentFilterTerms(path, value))
      return terms.some((term) => step.calls.arguments.includes(term)) === (negation === '')
    })
  return (
    Object.keys(values).every((name) => hasOne(name, '') && hasOne(name, 'not_')) &&
    (['', 'not_'] as const).every(hasArguments) &&
    stepBoundsAmong(filters).every(({ measure, side, value }) => {
      const own = measure === 'step_duration_ms' ? duration : totalTokens(step.tokenUsage ?? NO_USAGE)
      return own !== null && (side === 'min' ? own >= value : own <= value)
    })
  )
}

function keyOf(trace: TraceRecord, { sort, rates }: FeedCandidateQuery): number {
  if (sort === 'cost_usd') return costOfTrace(trace, rates)
  if (sort === 'step_count') return trace.stepCount
  if (sort === 'total_tokens') return trace.tokenUsage.input + trace.tokenUsage.output
  const startedAt = trace.ownStartedAt ?? trace.stepsStartedAt
  const endedAt = trace.ownEndedAt ?? trace.stepsEndedAt
  return startedAt === null || endedAt === null ? UNKNOWN_DURATION : Math.max(0, endedAt - startedAt)
}

interface Position {
  readonly key: number
  readonly id: TraceId
}

function compare(a: Position, b: Position, { sort, order }: FeedCandidateQuery): number {
  const byKey = sort === 'created_at' ? 0 : a.key - b.key
  const ascending = byKey || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  return order === 'asc' ? ascending : -ascending
}

function toRecord({ prepared, ...step }: NewStep): StepRecord {
  return {
    id: step.id,
    position: step.position,
    name: prepared.name,
    type: prepared.type,
    model: prepared.model,
    status: prepared.status ?? 'ok',
    startedAt: prepared.startedAt,
    endedAt: prepared.endedAt,
    receivedAt: step.receivedAt,
    parentStepId: step.parentStepId,
    parentInferred: step.parentInferred,
    tokenUsage: prepared.tokenUsage ?? NO_USAGE,
    idempotencyKey: prepared.idempotencyKey,
    body: prepared.body.toString(),
  }
}
