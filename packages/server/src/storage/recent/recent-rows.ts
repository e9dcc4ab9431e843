import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { hasQueryWords, prefixOf, searchedWords } from '../../traces/rules/search-text.ts'
import { isWithin } from '../../traces/rules/trace-bounds.ts'
import type { StepHead, StepRecord } from '../../ports/traces/step-record.ts'
import { nameWords, traceTerms, wordTerm } from '../../traces/rules/terms.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type {
  FeedCandidate,
  FeedCandidateQuery,
  NewStep,
  StepHit,
  StepPlace,
  StepRange,
  StoredCommit,
} from '../../ports/traces/trace-store.ts'
import { packedStep } from '../clickhouse/rows/step-row.ts'
import { RecentMetricEvents } from './recent-metric-events.ts'
import { compareCandidates, comparePositions, sortKey } from '../../traces/rules/candidate-order.ts'

/**
 * Commits that are readable and not in the engine yet: about the last second. Answers the queries of TraceReads from
 * memory: scanning a few hundred traces is faster than a query to the engine.
 */
export class RecentRows {
  /** Of each trace the versions held, oldest first. */
  readonly #versions = new Map<TraceId, TraceRecord[]>()
  readonly #steps = new Map<TraceId, NewStep[]>()
  readonly metricEvents = new RecentMetricEvents()
  /** A cache of the search terms of versions. */
  readonly #terms = new WeakMap<TraceRecord, ReadonlySet<string>>()
  #drops = 0

  /** Grows with each `drop`. While it stays the same, everything that was here still is. */
  get drops(): number {
    return this.#drops
  }

  add({ traces, steps, metricEvents }: StoredCommit): void {
    for (const trace of traces) push(this.#versions, trace.id, trace)
    for (const step of steps) push(this.#steps, step.traceId, step)
    this.metricEvents.add(metricEvents)
  }

  /** Forgets commits that the engine holds. */
  drop(commits: readonly StoredCommit[]): void {
    this.#drops += 1
    const gone = new Set<TraceRecord | NewStep>(commits.flatMap(({ traces, steps }) => [...traces, ...steps]))
    for (const { traces, steps, metricEvents } of commits) {
      for (const { id } of traces) remove(this.#versions, id, gone)
      for (const { traceId } of steps) remove(this.#steps, traceId, gone)
      this.metricEvents.drop(metricEvents)
    }
  }

  /** Whether it holds anything of the trace. */
  has(traceId: TraceId): boolean {
    return this.#versions.has(traceId) || this.#steps.has(traceId) || this.metricEvents.has(traceId)
  }

  /** Versions of the trace, oldest first. */
  versions(projectId: ProjectId, traceId: TraceId): readonly TraceRecord[] {
    return (this.#versions.get(traceId) ?? []).filter((trace) => trace.projectId === projectId)
  }

  steps({ projectId, traceId, fromPosition, limit, maxVersion }: StepRange): NewStep[] {
    return (
      (this.#steps.get(traceId) ?? [])
        .filter((step) => step.projectId === projectId && step.position >= fromPosition && step.version <= maxVersion)
        .sort((a, b) => a.position - b.position)
        // They came in commit order, and the sort keeps it: the last of a position is its newest version.
        .filter(({ position }, at, all) => all[at + 1]?.position !== position)
        .slice(0, limit)
    )
  }

  stepsAmong(projectId: ProjectId, places: readonly StepPlace[], maxVersion: number): StepPlace[] {
    const asked = new Set(places.map(({ traceId, stepId }) => `${traceId}${stepId}`))
    return [...new Set(places.map(({ traceId }) => traceId))]
      .flatMap((traceId) => this.#steps.get(traceId) ?? [])
      .filter(
        (step) => step.projectId === projectId && step.version <= maxVersion && asked.has(`${step.traceId}${step.id}`),
      )
      .map(({ traceId, id }) => ({ traceId, stepId: id }))
  }

  /** Of each of these traces the first step held here that has all the words. */
  stepHits(projectId: ProjectId, traceIds: readonly TraceId[], words: readonly string[]): StepHit[] {
    return traceIds.flatMap((traceId) => {
      const hit = (this.#steps.get(traceId) ?? [])
        .filter((step) => step.projectId === projectId && hasWords(step, words))
        .sort((a, b) => a.position - b.position || b.version - a.version)[0]
      if (hit === undefined) return []
      return [{ traceId: hit.traceId, position: hit.position, stepId: hit.id, texts: hit.prepared.texts }]
    })
  }

  /** In no order. */
  tracesOfStep(projectId: ProjectId, stepId: StepId): TraceId[] {
    return [...this.#steps.values()]
      .filter((steps) => steps.some((step) => step.projectId === projectId && step.id === stepId))
      .flatMap(([first]) => (first === undefined ? [] : [first.traceId]))
  }

  findFeedCandidates(query: FeedCandidateQuery): FeedCandidate[] {
    const { words } = query
    return this.#candidates(query, words === null ? () => true : this.#telling(words)).slice(0, query.limit)
  }

  /**
   * Versions that fit the query but for its words, which neither their name nor a step held here has: one that only the
   * engine holds may.
   */
  findUnmatched(query: FeedCandidateQuery): FeedCandidate[] {
    const { words } = query
    if (words === null) return []
    const tells = this.#telling(words)
    return this.#candidates(query, (trace) => !this.#hasAllSteps(trace.id) && !tells(trace))
  }

  /**
   * Whether the name of a trace, or one of its steps that are held here, has all the words. Steps are looked through
   * once for all versions of their trace.
   */
  #telling(words: readonly string[]): (trace: TraceRecord) => boolean {
    const terms = words.map(wordTerm)
    const judged = new Map<TraceId, boolean>()
    return (trace) => {
      const own = this.#termsOf(trace)
      if (hasQueryWords(own, terms)) return true
      const told = judged.get(trace.id) ?? (this.#steps.get(trace.id) ?? []).some((step) => hasWords(step, words))
      judged.set(trace.id, told)
      return told
    }
  }

  /** Steps settle in order: if the first is in memory, memory has all of them. */
  #hasAllSteps(id: TraceId): boolean {
    return this.#steps.get(id)?.some(({ position, replaces }) => position === 0 && replaces !== true) === true
  }

  #candidates(query: FeedCandidateQuery, tells: (trace: TraceRecord) => boolean): FeedCandidate[] {
    const sorted = query.sort !== 'created_at'
    const { startTime, endTime } = query.created ?? { startTime: null, endTime: null }
    const among = query.among === null ? null : new Set(query.among)
    const found = new Map<string, FeedCandidate>()
    for (const [id, versions] of this.#versions) {
      if (id < query.lowestId || id > query.highestId || among?.has(id) === false) continue
      for (const trace of versions) {
        if (trace.projectId !== query.projectId) continue
        if (startTime !== null && trace.createdAt < startTime) continue
        if (endTime !== null && trace.createdAt >= endTime) continue
        if (sorted && query.atVersion !== null && trace.version > query.atVersion) continue
        const candidate = sorted
          ? { id, version: trace.version, key: sortKey(trace, query) }
          : { id, version: 0, key: 0 }
        if (query.after !== null && comparePositions(candidate, query.after, query) <= 0) continue
        if (!isWithin(trace, query)) continue
        if (this.#hasTerms(trace, query.termGroups) && tells(trace)) found.set(`${id} ${candidate.version}`, candidate)
      }
    }
    return [...found.values()].sort((a, b) => compareCandidates(a, b, query))
  }

  #hasTerms(trace: TraceRecord, groups: readonly (readonly string[])[]): boolean {
    if (groups.length === 0) return true
    const terms = this.#termsOf(trace)
    return groups.every((group) => group.some((term) => terms.has(term)))
  }

  #termsOf(trace: TraceRecord): ReadonlySet<string> {
    const known = this.#terms.get(trace)
    if (known !== undefined) return known
    const terms = new Set([...traceTerms(trace), ...nameWords(trace.name)])
    this.#terms.set(trace, terms)
    return terms
  }
}

function hasWords({ prepared }: NewStep, words: readonly string[]): boolean {
  // Cutting texts into words costs much more than looking whether they could be in them.
  const may = words.map((word) => new RegExp(prefixOf(word) ?? word, 'i'))
  const isIn = (word: RegExp) => word.test(prepared.otherWords) || prepared.texts.some((text) => word.test(text))
  return may.every(isIn) && hasQueryWords(searchedWords(prepared), words)
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

function remove<V>(lists: Map<TraceId, V[]>, id: TraceId, gone: ReadonlySet<unknown>): void {
  const list = lists.get(id)
  if (list === undefined || !gone.has(list[0])) return
  const left = list.filter((row) => !gone.has(row))
  if (left.length === 0) lists.delete(id)
  else lists.set(id, left)
}

/** As the step is read back from the engine. */
export function toStepRecord(step: NewStep): StepRecord {
  return { ...toStepHead(step), body: step.prepared.body.toString() }
}

export function toStepHead(step: NewStep): StepHead {
  return { ...packedStep(step), position: step.position }
}
