import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { ProjectFilter } from '../../ports/traces/trace-store.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'

interface Run {
  low: TraceId
  high: TraceId
}

/**
 * Shorter runs cost a list next to nothing. This must be less than what the first query of a list of 50 returns;
 * otherwise a run at the newest end would never be noted.
 */
const LEAST_TRACES = 16
const LEAST_SHARE = 0.25
/** Limit over all projects; the run noted longest ago is dropped first. */
const MOST_RUNS = 1000

/**
 * Ranges of ids of a project in which lists have met only traces deleted for good. A run stays valid: they do not come
 * back, and new ids are greater than all assigned ones, but for those of imported traces. A list that reaches a run
 * continues at its far end, so only one list walks through the rows that wait for removal.
 */
export class DeletedRuns {
  readonly #ofProject = new Map<ProjectId, Set<Run>>()
  /** See liveShare, by project and kind; absent: all. */
  readonly #shares = new Map<string, number>()
  #count = 0
  #greatest: TraceId | null
  #imports = 0

  /** `lastTraceId`: the greatest id of the traces that are there. */
  constructor(lastTraceId: TraceId | null = null) {
    this.#greatest = lastTraceId
  }

  /**
   * How many of the first traces of a list of this kind, those in runs aside, are probably not deleted: at most 1, and
   * never so few that a page asks for many times its size.
   */
  liveShare(projectId: ProjectId, kind: string): number {
    return this.#shares.get(`${projectId} ${kind}`) ?? 1
  }

  /** `met`: what a list met first, `deleted`: of these. */
  noteShare(
    projectId: ProjectId,
    kind: string,
    met: readonly { readonly id: TraceId }[],
    deleted: ReadonlySet<TraceId>,
  ): void {
    const outside = deleted.size === 0 ? met : met.filter(({ id }) => this.beyond(projectId, id, 'asc') === null)
    if (outside.length < LEAST_TRACES) return
    const live = outside.filter(({ id }) => !deleted.has(id)).length
    const key = `${projectId} ${kind}`
    if (live === outside.length) this.#shares.delete(key)
    else this.#shares.set(key, Math.max(LEAST_SHARE, live / outside.length))
  }

  /** Changes when a trace is committed whose id is less than that of an earlier one. */
  get imports(): number {
    return this.#imports
  }

  /** MUST be called with the traces of each commit. A run that has a new one of them ends to be one. */
  committed(traces: readonly Pick<TraceRecord, 'projectId' | 'id' | 'deleted' | 'updatedAt'>[]): void {
    for (const { projectId, id, deleted, updatedAt } of traces) {
      if (deleted || updatedAt !== null) continue
      if (this.#greatest === null || id > this.#greatest) {
        this.#greatest = id
        continue
      }
      this.#imports += 1
      const runs = this.#ofProject.get(projectId)
      for (const run of runs ?? []) if (run.low <= id && id <= run.high) this.#drop(projectId, run)
    }
  }

  /** Commits of these projects did not come to `committed`. No trace of them is above `lastTraceId`. */
  missed(isOf: ProjectFilter, lastTraceId: TraceId | null): void {
    this.#imports += 1
    if (lastTraceId !== null && (this.#greatest === null || lastTraceId > this.#greatest)) this.#greatest = lastTraceId
    for (const [projectId, runs] of this.#ofProject) {
      if (!isOf(projectId)) continue
      this.#count -= runs.size
      this.#ofProject.delete(projectId)
    }
  }

  /** The far end of the run that contains `id`, where a walk continues; null when no run contains it. */
  beyond(projectId: ProjectId, id: TraceId, order: 'asc' | 'desc'): TraceId | null {
    for (const { low, high } of this.#ofProject.get(projectId) ?? []) {
      if (low <= id && id <= high) return order === 'desc' ? low : high
    }
    return null
  }

  /**
   * Call it when every trace of the project with an id from `low` through `high` is deleted for good. `traces`: how
   * many such rows were read. MUST NOT be called if `imports` has changed since the read began.
   */
  note(projectId: ProjectId, low: TraceId, high: TraceId, traces: number): void {
    if (traces < LEAST_TRACES) return
    const runs = this.#ofProject.get(projectId) ?? new Set()
    this.#ofProject.set(projectId, runs)
    const joined: Run = { low, high }
    for (const run of runs) {
      if (run.high < low || run.low > high) continue
      if (run.low < joined.low) joined.low = run.low
      if (run.high > joined.high) joined.high = run.high
      runs.delete(run)
      this.#count -= 1
    }
    runs.add(joined)
    this.#count += 1
    // It may be the id of a trace that did not come to `committed`.
    if (this.#greatest === null || high > this.#greatest) this.#greatest = high
    if (this.#count > MOST_RUNS) this.#dropOldest()
  }

  #dropOldest(): void {
    for (const [projectId, runs] of this.#ofProject) {
      const [oldest] = runs
      if (oldest !== undefined) return this.#drop(projectId, oldest)
    }
  }

  #drop(projectId: ProjectId, run: Run): void {
    const runs = this.#ofProject.get(projectId)
    if (runs?.delete(run) !== true) return
    this.#count -= 1
    if (runs.size === 0) this.#ofProject.delete(projectId)
  }
}
