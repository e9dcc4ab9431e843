import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { LoggedRows } from '../../storage/embedded/embedded-log.ts'
import { RecentRows, toStepRecord } from '../../storage/embedded/recent-rows.ts'
import type { MetricEventRecord } from '../journal/metric-event.ts'
import type { StepRecord } from './step-record.ts'
import type { TraceRecord } from './trace-record.ts'
import type {
  FeedCandidate,
  FeedCandidateQuery,
  StepPlace,
  StepRange,
  StoredCommit,
  StoredTrace,
  TraceReads,
} from './trace-store.ts'

/** A store in memory that passes trace-store.conformance.ts; a test decides when old versions go, and which commits fail. */
export class MemoryTraceStore implements TraceReads, LoggedRows {
  #commits: StoredCommit[] = []
  #rows = new RecentRows()
  #staged: StoredCommit | null = null
  /** Awaited at the start of each stage. */
  beforeStage: () => Promise<void> = async () => undefined
  /** Called before each read answers. */
  beforeRead: () => void = () => undefined
  /** How many of the next stages reject. */
  failures = 0
  stages = 0

  async room(): Promise<void> {}

  async stage(commit: StoredCommit): Promise<void> {
    this.stages += 1
    await this.beforeStage()
    if (this.failures > 0) {
      this.failures -= 1
      throw new Error('nothing was staged')
    }
    this.#staged = commit
  }

  publish(version: number): void {
    const staged = this.#staged
    if (staged?.version !== version) throw new Error(`commit ${version} is not the one that was staged`)
    this.#staged = null
    this.#commits.push(staged)
    this.#rows.add(staged)
  }

  async mend(): Promise<void> {
    this.#staged = null
  }

  /** As the engine may at any time: of each trace that `chosen` picks, only the greatest version stays. */
  merge(chosen: (id: TraceId) => boolean = () => true): void {
    const newest = new Map<TraceId, number>()
    for (const { traces } of this.#commits)
      for (const { id, version } of traces) newest.set(id, Math.max(version, newest.get(id) ?? 0))
    this.#keep(({ id, version }) => !chosen(id) || version === newest.get(id))
  }

  async findTraces(projectId: ProjectId, ids: readonly TraceId[], atVersion: number): Promise<TraceRecord[]> {
    this.beforeRead()
    return [...new Set(ids)].flatMap((id) => {
      const versions = this.#rows.versions(projectId, id)
      return versions.findLast(({ version }) => version <= atVersion) ?? versions[0] ?? []
    })
  }

  async findFeedCandidates(query: FeedCandidateQuery): Promise<FeedCandidate[]> {
    this.beforeRead()
    return this.#rows.findFeedCandidates(query)
  }

  async findSteps(range: StepRange): Promise<StepRecord[]> {
    return this.#rows.steps(range).map(toStepRecord)
  }

  async findStepSizes(range: StepRange): Promise<{ position: number; bodyBytes: number }[]> {
    return this.#rows.steps(range).map(({ position, prepared }) => ({ position, bodyBytes: prepared.body.length }))
  }

  async findStepIds(projectId: ProjectId, traceId: TraceId, limit: number): Promise<StepId[]> {
    const range = { projectId, traceId, fromPosition: 0, limit, maxVersion: Infinity }
    return this.#rows.steps(range).map(({ id }) => id)
  }

  async findStepsAmong(projectId: ProjectId, steps: readonly StepPlace[], maxVersion: number): Promise<StepPlace[]> {
    this.beforeRead()
    return this.#rows.stepsAmong(projectId, steps, maxVersion)
  }

  /** Every metric event that is there, in the order they came. */
  get metricEvents(): readonly MetricEventRecord[] {
    return this.#commits.flatMap(({ metricEvents }) => metricEvents.map(({ record }) => record))
  }

  async purgeTraces(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    const ids = new Set(traces.map(({ traceId }) => traceId))
    const gone = traces.filter(({ traceId }) => !this.#rows.has(traceId))
    this.#keep(({ id }) => !ids.has(id))
    return gone
  }

  async sizeBytes(): Promise<number> {
    const steps = this.#commits.flatMap((commit) => commit.steps)
    return steps.reduce((sum, { prepared }) => sum + prepared.body.length, 0)
  }

  /** Versions of traces that are to stay; the steps of those that lose all their versions go too. */
  #keep(stays: (trace: TraceRecord) => boolean): void {
    const kept = this.#commits.map((commit) => ({ ...commit, traces: commit.traces.filter(stays) }))
    const left = new Set(kept.flatMap(({ traces }) => traces.map(({ id }) => id)))
    this.#commits = kept.map(({ version, traces, steps, metricEvents }) => ({
      version,
      traces,
      steps: steps.filter((step) => left.has(step.traceId)),
      metricEvents: metricEvents.filter(({ record }) => left.has(record.traceId)),
    }))
    this.#rows = new RecentRows()
    for (const commit of this.#commits) this.#rows.add(commit)
  }
}
