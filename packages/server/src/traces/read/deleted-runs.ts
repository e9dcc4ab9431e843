import type { ProjectId, TraceId } from '@spoor/contract/ids'

interface Run {
  low: TraceId
  high: TraceId
}

/**
 * Shorter ones cost a list next to nothing. Less than what the first query of a list of 50 returns: else a run at the
 * newest end is never noted.
 */
const LEAST_TRACES = 16
/** Of all projects; the one noted the longest ago goes first. */
const MOST_RUNS = 1000

/**
 * Stretches of the ids of a project in which lists have met deleted traces only. They stay true: nothing deleted comes
 * back, and new ids lie above all that were given. A list that gets into one goes on behind it, so the rows that wait
 * there for their removal are walked through once, not by each list.
 */
export class DeletedRuns {
  readonly #ofProject = new Map<ProjectId, Set<Run>>()
  #count = 0

  /** Where a walk that stands at `id` goes on: at the far end of the run that `id` lies in, if it lies in one. */
  beyond(projectId: ProjectId, id: TraceId, order: 'asc' | 'desc'): TraceId | null {
    for (const { low, high } of this.#ofProject.get(projectId) ?? []) {
      if (low <= id && id <= high) return order === 'desc' ? low : high
    }
    return null
  }

  /** Every trace of the project with an id from `low` through `high` is deleted; `traces` is how many rows say so. */
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
    if (this.#count > MOST_RUNS) this.#dropOldest()
  }

  #dropOldest(): void {
    for (const [projectId, runs] of this.#ofProject) {
      for (const run of runs) {
        runs.delete(run)
        this.#count -= 1
        break
      }
      if (runs.size === 0) this.#ofProject.delete(projectId)
      return
    }
  }
}
