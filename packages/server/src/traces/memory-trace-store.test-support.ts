import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { addSteps, durationOf, NO_STEPS, NO_TOKENS, type StepRollup, totalTokens } from './rollup.ts'
import { toSearchWords } from './search-text.ts'
import type { StepRecord } from './step-record.ts'
import { nameWords, traceTerms, wordTerm } from './terms.ts'
import type { TraceRecord } from './trace-record.ts'
import {
  type FeedCandidate,
  type FeedCandidateQuery,
  type NewStep,
  type StepRange,
  type StoredTrace,
  type TraceStore,
  UNKNOWN_DURATION,
} from './trace-store.ts'
import type { FeedSort } from './use-cases.ts'

/** What a failing write has stored before it rejects. */
export type PartialWrite = 'nothing' | 'steps' | 'traces' | 'everything'

/** A store in memory that passes trace-store.conformance.ts; a test decides when old versions are merged away, and how a write fails. */
export class MemoryTraceStore implements TraceStore {
  readonly #abandonedVersions: () => ReadonlySet<number>
  readonly #versions = new Map<TraceId, TraceRecord[]>()
  readonly #steps = new Map<TraceId, NewStep[]>()
  /** Awaited at the start of each write. */
  beforeWrite: () => Promise<void> = async () => undefined
  /** Called before each read answers. */
  beforeRead: () => void = () => undefined
  /** Each entry makes one write fail. */
  readonly failures: PartialWrite[] = []
  writes = 0

  constructor(abandonedVersions: () => ReadonlySet<number> = () => new Set()) {
    this.#abandonedVersions = abandonedVersions
  }

  async write(traces: readonly TraceRecord[], steps: readonly NewStep[]): Promise<void> {
    this.writes += 1
    await this.beforeWrite()
    const failure = this.failures.shift()
    if (failure === undefined || failure === 'steps' || failure === 'everything')
      for (const step of steps) push(this.#steps, step.traceId, step)
    if (failure === undefined || failure === 'traces' || failure === 'everything')
      for (const trace of traces) push(this.#versions, trace.id, trace)
    if (failure !== undefined) throw new Error(`the write stored ${failure}`)
  }

  /** As the engine may at any time: of each row that `chosen` picks, only the greatest version stays. */
  merge(chosen: (id: TraceId) => boolean = () => true): void {
    for (const [id, versions] of this.#versions) {
      if (chosen(id)) this.#versions.set(id, [versions.reduce((a, b) => (b.version >= a.version ? b : a))])
    }
    for (const [id, steps] of this.#steps) {
      if (!chosen(id)) continue
      const kept = new Map<number, NewStep>()
      for (const step of steps) {
        if ((kept.get(step.position)?.version ?? 0) <= step.version) kept.set(step.position, step)
      }
      this.#steps.set(id, [...kept.values()])
    }
  }

  async findTraces(projectId: ProjectId, ids: readonly TraceId[], atVersion: number): Promise<TraceRecord[]> {
    this.beforeRead()
    const abandoned = this.#abandonedVersions()
    const found: TraceRecord[] = []
    for (const id of new Set(ids)) {
      const versions = (this.#versions.get(id) ?? [])
        .filter((trace) => trace.projectId === projectId && !abandoned.has(trace.version))
        .sort((a, b) => a.version - b.version)
      const newest = versions.findLast(({ version }) => version <= atVersion) ?? versions[0]
      if (newest !== undefined) found.push(newest)
    }
    return found
  }

  async findFeedCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    this.beforeRead()
    const sorted = query.sort !== 'created_at'
    const abandoned = this.#abandonedVersions()
    const found = new Map<string, FeedCandidate>()
    for (const trace of [...this.#versions.values()].flat()) {
      if (trace.projectId !== query.projectId || trace.id < query.lowestId || trace.id > query.highestId) continue
      if (query.among !== null && !query.among.includes(trace.id)) continue
      if (sorted && query.atVersion !== null && trace.version > query.atVersion) continue
      if (sorted && abandoned.has(trace.version)) continue
      if (!this.#matches(trace, query)) continue
      const candidate = sorted
        ? { id: trace.id, version: trace.version, key: sortKey(trace, query.sort) }
        : { id: trace.id, version: 0, key: 0 }
      if (query.after !== null && compare(candidate, query.after, query) <= 0) continue
      found.set(sorted ? `${trace.id} ${trace.version}` : trace.id, candidate)
    }
    return [...found.values()].sort((a, b) => compare(a, b, query) || b.version - a.version).slice(0, query.limit)
  }

  async findSteps(range: StepRange): Promise<StepRecord[]> {
    return this.#inRange(range).map(toStepRecord)
  }

  async findStepSizes(range: StepRange): Promise<{ position: number; bodyBytes: number }[]> {
    return this.#inRange(range).map(({ position, prepared }) => ({ position, bodyBytes: prepared.body.length }))
  }

  async findStepIds(projectId: ProjectId, traceId: TraceId, limit: number): Promise<StepId[]> {
    const range = { projectId, traceId, fromPosition: 0, limit, maxVersion: Infinity }
    return this.#inRange(range).map(({ id }) => id)
  }

  async findStepIdsAmong(
    projectId: ProjectId,
    traceId: TraceId,
    ids: readonly StepId[],
    maxVersion: number,
  ): Promise<StepId[]> {
    const range = { projectId, traceId, fromPosition: 0, limit: Infinity, maxVersion }
    return this.#inRange(range).flatMap(({ id }) => (ids.includes(id) ? [id] : []))
  }

  async findTracesAfter(version: number): Promise<TraceRecord[]> {
    const newest = [...this.#versions.values()].map((versions) =>
      versions.reduce((a, b) => (b.version > a.version ? b : a)),
    )
    return newest.filter((trace) => trace.version > version)
  }

  async findVersionsAfter(version: number): Promise<number[]> {
    const rows = [...this.#versions.values(), ...this.#steps.values()].flat()
    return [...new Set(rows.map((row) => row.version))].filter((found) => found > version)
  }

  async summarizeSteps(projectId: ProjectId, traceId: TraceId, maxVersion: number): Promise<StepRollup> {
    const steps = this.#inRange({ projectId, traceId, fromPosition: 0, limit: Infinity, maxVersion })
    return addSteps(
      NO_STEPS,
      steps.map(({ prepared }) => prepared),
      steps.at(-1)?.id ?? null,
    )
  }

  async purgeTraces(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    return traces.filter(({ traceId }) => {
      const steps = this.#steps.delete(traceId)
      return !this.#versions.delete(traceId) && !steps
    })
  }

  async purgeVersions(versions: readonly number[]): Promise<readonly number[]> {
    return versions.filter((version) => {
      const traces = removeVersion(this.#versions, version)
      return !removeVersion(this.#steps, version) && !traces
    })
  }

  async sizeBytes(): Promise<number> {
    return [...this.#steps.values()].flat().reduce((sum, { prepared }) => sum + prepared.body.length, 0)
  }

  #matches(trace: TraceRecord, { termGroups, words }: FeedCandidateQuery): boolean {
    const terms = new Set([...traceTerms(trace), ...nameWords(trace.name)])
    if (!termGroups.every((group) => group.some((term) => terms.has(term)))) return false
    if (words === null || words.every((word) => terms.has(wordTerm(word)))) return true
    return (this.#steps.get(trace.id) ?? []).some(({ prepared }) => {
      const told = new Set(toSearchWords(prepared.searchText))
      return words.every((word) => told.has(word))
    })
  }

  #inRange({ projectId, traceId, fromPosition, limit, maxVersion }: StepRange): NewStep[] {
    const abandoned = this.#abandonedVersions()
    return (this.#steps.get(traceId) ?? [])
      .filter((step) => step.projectId === projectId && step.position >= fromPosition)
      .filter((step) => step.version <= maxVersion && !abandoned.has(step.version))
      .sort((a, b) => a.position - b.position)
      .slice(0, limit)
  }
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  lists.set(key, [...(lists.get(key) ?? []), value])
}

function removeVersion<V extends { readonly version: number }>(lists: Map<TraceId, V[]>, version: number): boolean {
  let removed = false
  for (const [id, rows] of lists) {
    const kept = rows.filter((row) => row.version !== version)
    removed ||= kept.length < rows.length
    if (kept.length === 0) lists.delete(id)
    else lists.set(id, kept)
  }
  return removed
}

/** What the feed sorts by; 0 for the creation time, which is the id. */
export function sortKey(trace: TraceRecord, sort: FeedSort): number {
  if (sort === 'created_at') return 0
  if (sort === 'duration_ms') return durationOf(trace) ?? UNKNOWN_DURATION
  return sort === 'total_tokens' ? totalTokens(trace.tokenUsage) : trace.stepCount
}

interface Position {
  readonly key: number
  readonly id: TraceId
}

function compare(a: Position, b: Position, { sort, order }: FeedCandidateQuery): number {
  const byId = a.id < b.id ? -1 : a.id > b.id ? 1 : 0
  const ascending = sort === 'created_at' ? byId : a.key - b.key || byId
  return order === 'asc' ? ascending : -ascending
}

function toStepRecord({ prepared, ...step }: NewStep): StepRecord {
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
    tokenUsage: prepared.tokenUsage ?? NO_TOKENS,
    idempotencyKey: prepared.idempotencyKey,
    body: prepared.body.toString(),
  }
}
