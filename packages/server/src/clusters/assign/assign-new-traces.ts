import type { ProjectId } from '@spoor/contract/ids'
import { greatestId } from '../../lib/ids/ids.ts'
import type { ClusterStore } from '../../ports/clusters/cluster-store.ts'
import type { ClusterTraces } from '../../ports/clusters/cluster-traces.ts'
import { storeMissingFeatures, type StoreMissingDependencies } from './store-missing-features.ts'

export interface AssignNewDependencies extends StoreMissingDependencies {
  readonly traces: ClusterTraces
  readonly clusters: Pick<ClusterStore, 'currentRun' | 'projectsWithRuns'>
}

/** Most traces of each project in one round. */
const MOST_TOGETHER = 1000
const MOST_TIMES = 10
/** Later steps of a trace may still arrive; the first one mostly has the user's request. */
const LEAST_AGE_MS = 20_000

/** Assigns traces that arrived since the last discovery of their project to its nearest clusters. */
export class AssignNewTraces {
  readonly #dependencies: AssignNewDependencies
  /** Projects that may have such traces. */
  readonly #waiting = new Set<ProjectId>()
  /** Whether to include projects in which an earlier process may have left such traces. */
  #isComplete = false

  constructor(dependencies: AssignNewDependencies) {
    this.#dependencies = dependencies
  }

  /** Projects with new commits. */
  expect(projectIds: Iterable<ProjectId>): void {
    for (const projectId of projectIds) this.#waiting.add(projectId)
  }

  async round(now: number): Promise<void> {
    if (!this.#isComplete) this.expect(await this.#dependencies.clusters.projectsWithRuns())
    this.#isComplete = true
    const waiting = [...this.#waiting]
    for (const projectId of waiting) {
      let after: 'more' | 'later' | 'none' = 'more'
      for (let times = 0; after === 'more' && times < MOST_TIMES; times++) after = await this.#assign(projectId, now)
      if (after === 'none') this.#waiting.delete(projectId)
    }
  }

  /** Whether the project has more of them now, or will have when they are older. */
  async #assign(projectId: ProjectId, now: number): Promise<'more' | 'later' | 'none'> {
    const { traces, clusters, worker } = this.#dependencies
    const run = await clusters.currentRun(projectId)
    if (run === undefined) return 'none'
    const [lowestId, highestId] = [run.assignedThrough, greatestId('tr')]
    const listed = await traces.list({
      projectId,
      lowestId,
      highestId,
      createdFrom: 0,
      order: 'asc',
      limit: MOST_TOGETHER,
    })
    const fresh = listed.filter(({ id }) => id !== lowestId)
    if (fresh.length === 0) return 'none'
    const young = fresh.findIndex(({ createdAt }) => isYoung(createdAt, now))
    const settled = young < 0 ? fresh : fresh.slice(0, young)
    const last = settled.at(-1)
    if (last === undefined) return 'later'
    await storeMissingFeatures(this.#dependencies, projectId, settled)
    const traceIds = settled.map(({ id }) => id)
    const isComparable = await worker.ask('assign', { projectId, runId: run.id, traceIds, through: last.id })
    return !isComparable || settled.length < fresh.length ? 'later' : 'more'
  }
}

/**
 * A trace with a creation time in the future was committed by a clock that has been corrected since: waiting for it
 * would delay all later traces.
 */
function isYoung(createdAt: number, now: number): boolean {
  return createdAt > now - LEAST_AGE_MS && createdAt <= now
}
