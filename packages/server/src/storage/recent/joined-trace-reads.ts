import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { isScoredBy, type ScoredBy } from '../../ports/metrics/scored-by.ts'
import type { StepHead, StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import {
  type FeedCandidate,
  type FeedCandidateQuery,
  FIRST_STEPS,
  type CommitWatch,
  type IdBounds,
  type OpenedTrace,
  type StepHit,
  type StepPlace,
  type StepRange,
  type StoredCommit,
} from '../../ports/traces/trace-store.ts'
import { mergeCandidates } from '../../traces/rules/candidate-order.ts'
import { LeadingTraces } from './leading-traces.ts'
import { NewestTraces } from './newest-traces.ts'
import type { RecentMetricEvents } from './recent-metric-events.ts'
import type { SettledReads } from './settled-rows.ts'
import { RecentRows, toStepHead, toStepRecord } from './recent-rows.ts'

/** Traces named in one statement: the engine takes at most 256 KB. */
export const TRACES_PER_STATEMENT = 2000

/**
 * Joins reads of memory (commits that are readable and not in the engine yet, and the newest traces) with reads of the
 * engine. The log publishes commits in order; the settler drops them from `recent` once the engine shows them to this
 * process.
 *
 * Reads use memory first: rows that leave it meanwhile are in the engine already, and duplicates are removed.
 */
export abstract class JoinedTraceReads implements SettledReads {
  readonly #settled: SettledReads
  readonly #groupOf: (projectId: ProjectId) => number
  protected readonly recent = new RecentRows()
  protected readonly newest: NewestTraces
  readonly #leading = new LeadingTraces()
  readonly #listeners: CommitWatch[] = []

  /**
   * `lastTraceId`: the last trace of all commits that are not published here; null when there is none. `groupOf`: the
   * group of a project, whose commits are shown together or not at all.
   */
  constructor(settled: SettledReads, lastTraceId: TraceId | null, groupOf: (projectId: ProjectId) => number = () => 0) {
    this.#settled = settled
    this.#groupOf = groupOf
    this.newest = new NewestTraces(lastTraceId, { groupOf })
  }

  /** Metric events that are readable and may not be in the engine yet. */
  get recentMetricEvents(): Pick<RecentMetricEvents, 'ofTrace' | 'list' | 'traceOf'> {
    return this.recent.metricEvents
  }

  /** Calls the listener for each commit when it becomes readable, before it is answered. */
  watch(listener: CommitWatch): void {
    this.#listeners.push(listener)
  }

  /** Commits of projects of these groups were not shown here; no trace of them is above `lastTraceId`. */
  protected miss(groups: ReadonlySet<number>, lastTraceId: TraceId | null): void {
    const isOf = (projectId: ProjectId) => groups.has(this.#groupOf(projectId))
    if (lastTraceId !== null) this.newest.miss(groups, lastTraceId)
    this.#leading.forget(isOf)
    for (const listener of this.#listeners) listener.forget(isOf)
  }

  /** Makes a commit readable and calls the listeners. */
  protected show(commit: StoredCommit): void {
    this.recent.add(commit)
    this.newest.add(commit)
    this.#leading.add(commit)
    for (const listener of this.#listeners) listener.note(commit)
  }

  async findTraces(projectId: ProjectId, ids: readonly TraceId[], atVersion: number): Promise<TraceRecord[]> {
    const found: TraceRecord[] = []
    const older: TraceId[] = []
    for (const id of new Set(ids)) {
      const trace = this.newest.find(projectId, id)
      // It has the newest version alone.
      if (!this.newest.covers(projectId, id) || (trace !== undefined && trace.version > atVersion)) older.push(id)
      else if (trace !== undefined) found.push(trace)
    }
    if (older.length === 0) return found
    return [...found, ...(await this.#findOlder(projectId, older, atVersion))]
  }

  async #findOlder(projectId: ProjectId, ids: readonly TraceId[], atVersion: number): Promise<TraceRecord[]> {
    const found: TraceRecord[] = []
    /**
     * Those of which memory has only versions later than `atVersion`: the oldest of them, in case there is none in the
     * engine.
     */
    const later = new Map<TraceId, TraceRecord>()
    const missing: TraceId[] = []
    for (const id of ids) {
      const versions = this.recent.versions(projectId, id)
      const newest = versions.findLast(({ version }) => version <= atVersion)
      if (newest !== undefined) {
        found.push(newest)
        continue
      }
      missing.push(id)
      if (versions[0] !== undefined) later.set(id, versions[0])
    }
    for (const trace of await this.#settled.findTraces(projectId, missing, atVersion)) {
      const other = later.get(trace.id)
      if (other === undefined || trace.version <= other.version) {
        found.push(trace)
        later.delete(trace.id)
      }
    }
    return [...found, ...later.values()]
  }

  async findTaken(ids: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    const here = new Set(ids.filter((id) => this.newest.has(id) || this.recent.has(id)))
    const others = ids.filter((id) => !here.has(id))
    return others.length === 0 ? here : here.union(await this.#settled.findTaken(others))
  }

  async openTrace(projectId: ProjectId, traceId: TraceId, atVersion: number): Promise<OpenedTrace> {
    const range = { projectId, traceId, fromPosition: 0, limit: FIRST_STEPS.count, maxVersion: atVersion }
    const trace = this.newest.find(projectId, traceId)
    const newest = this.newest.steps(range)
    if (newest !== null && (trace?.version ?? 0) <= atVersion) {
      const large = newest.findIndex(({ body }) => body.length > FIRST_STEPS.bodyBytes)
      return { trace, firstSteps: large === -1 ? newest : newest.slice(0, large) }
    }
    // Callers that read page by page merge what memory and engine have of it.
    if (this.newest.covers(projectId, traceId) || this.recent.has(traceId)) {
      const [found] = await this.findTraces(projectId, [traceId], atVersion)
      return { trace: found, firstSteps: [] }
    }
    return this.#settled.openTrace(projectId, traceId, atVersion)
  }

  /** Everything that was readable at the call is in the engine when it resolves. */
  abstract settled(): Promise<void>

  async findFeedCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    if (query.steps !== null) return this.#withStep(query)
    const page = this.newest.page(query)
    if (page === null) return this.#leading.find(query, (asked) => this.#findCandidates(asked))
    const { candidates, rest } = page
    return rest === null ? [...candidates] : [...candidates, ...(await this.#findCandidates(rest))]
  }

  /** The engine alone evaluates filters of steps. Memory may have later versions of what it finds. */
  async #withStep(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    await this.settled()
    const found = await this.#settled.findFeedCandidates(query)
    return found.map(({ trace: _trace, ...candidate }) => candidate)
  }

  async #findCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    const recent = this.recent.findFeedCandidates(query)
    const unmatched = this.recent.findUnmatched(query)
    const { drops } = this.recent
    const found = await this.#settled.findFeedCandidates(query)
    // A row of the engine is the latest version only if memory has had none of the trace since before the query. A
    // version that left memory meanwhile may have reached the engine after the query.
    const isCertain = this.recent.drops === drops
    const settled = found.map((candidate) =>
      isCertain && !this.recent.has(candidate.id)
        ? candidate
        : { id: candidate.id, version: candidate.version, key: candidate.key },
    )
    const matched = await this.#matchedBySettledSteps(query, unmatched)
    return mergeCandidates([...recent, ...matched], settled, query)
  }

  async findStepHits(projectId: ProjectId, traceIds: readonly TraceId[], words: readonly string[]): Promise<StepHit[]> {
    const recent = this.recent.stepHits(projectId, traceIds, words)
    const first = new Map(recent.map((hit) => [hit.traceId, hit]))
    for (const hit of await this.#settled.findStepHits(projectId, traceIds, words)) {
      const other = first.get(hit.traceId)
      if (other === undefined || hit.position < other.position) first.set(hit.traceId, hit)
    }
    return [...first.values()]
  }

  async findSteps(range: StepRange): Promise<StepRecord[]> {
    const newest = this.newest.steps(range)
    if (newest !== null) return [...newest]
    const recent = this.recent.steps(range)
    const settled = await this.#settled.findSteps(range)
    return inOrder(settled, recent, range.limit, toStepRecord)
  }

  async findStepSizes(range: StepRange): Promise<{ position: number; bodyBytes: number }[]> {
    const recent = this.recent.steps(range)
    const settled = await this.#settled.findStepSizes(range)
    return inOrder(settled, recent, range.limit, ({ position, prepared }) => ({
      position,
      bodyBytes: prepared.body.length,
    }))
  }

  async findStepHeads(range: StepRange): Promise<StepHead[]> {
    // So the retry of a new trace needs no engine.
    const newest = this.newest.steps(range)
    if (newest !== null) return newest.map(({ body: _body, ...head }) => head)
    const recent = this.recent.steps(range)
    const settled = await this.#settled.findStepHeads(range)
    return inOrder(settled, recent, range.limit, toStepHead)
  }

  async findTracesOfStep(projectId: ProjectId, stepId: StepId, limit: number): Promise<TraceId[]> {
    const recent = this.recent.tracesOfStep(projectId, stepId)
    const settled = await this.#settled.findTracesOfStep(projectId, stepId, limit)
    return [...new Set([...recent, ...settled])].sort().toReversed().slice(0, limit)
  }

  async findStepsAmong(projectId: ProjectId, steps: readonly StepPlace[], maxVersion: number): Promise<StepPlace[]> {
    const found = this.recent.stepsAmong(projectId, steps, maxVersion)
    const inMemory = new Set(found.map(({ traceId, stepId }) => `${traceId}${stepId}`))
    const missing = steps.filter(({ traceId, stepId }) => !inMemory.has(`${traceId}${stepId}`))
    return [...found, ...(await this.#settled.findStepsAmong(projectId, missing, maxVersion))]
  }

  async findScored(projectId: ProjectId, by: ScoredBy, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    const { metricEvents } = this.recent
    const isScored = (id: TraceId) => metricEvents.ofTrace(projectId, id).some((event) => isScoredBy(event, by))
    const recent = new Set(traceIds.filter(isScored))
    const others = traceIds.filter((id) => !recent.has(id))
    return recent.union(await this.#settled.findScored(projectId, by, others))
  }

  async findScoredBounds(projectId: ProjectId, by: ScoredBy): Promise<IdBounds | null> {
    const recent = this.recent.metricEvents.tracesScored(projectId, by)
    const settled = await this.#settled.findScoredBounds(projectId, by)
    const ids = [...recent, ...(settled === null ? [] : [settled.lowestId, settled.highestId])].sort()
    const [lowestId, highestId] = [ids[0], ids.at(-1)]
    return lowestId === undefined || highestId === undefined ? null : { lowestId, highestId }
  }

  /** Versions in memory whose words are in a step that is in the engine. */
  async #matchedBySettledSteps(
    query: FeedCandidateQuery,
    unmatched: readonly FeedCandidate[],
  ): Promise<readonly FeedCandidate[]> {
    const among = [...new Set(unmatched.map(({ id }) => id))].sort()
    const ids = new Set<TraceId>()
    for (let from = 0; from < among.length; from += TRACES_PER_STATEMENT) {
      const part = among.slice(from, from + TRACES_PER_STATEMENT)
      const matched = await this.#settled.findFeedCandidates({
        ...query,
        termGroups: [],
        bounds: [],
        rates: null,
        among: part,
        lowestId: part[0] as TraceId,
        highestId: part.at(-1) as TraceId,
        sort: 'created_at',
        order: 'asc',
        atVersion: null,
        after: null,
        limit: part.length,
      })
      for (const { id } of matched) ids.add(id)
    }
    return unmatched.filter(({ id }) => ids.has(id))
  }
}

/**
 * Steps of the engine, then later ones of memory: positions grow, and steps that settled meanwhile are in both. A step
 * of memory at an earlier position is the same or a newer version.
 */
function inOrder<Settled extends { readonly position: number }, Recent extends { readonly position: number }>(
  settled: readonly Settled[],
  recent: readonly Recent[],
  limit: number,
  convert: (recent: Recent) => Settled,
): Settled[] {
  const last = settled.at(-1)?.position ?? -1
  const later = recent.filter(({ position }) => position > last).map(convert)
  const newer = new Map(recent.filter(({ position }) => position <= last).map((step) => [step.position, step]))
  const earlier =
    newer.size === 0
      ? settled
      : settled.map((step) => {
          const replacing = newer.get(step.position)
          return replacing === undefined ? step : convert(replacing)
        })
  return [...earlier, ...later].slice(0, limit)
}
