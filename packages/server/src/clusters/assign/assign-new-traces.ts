import { type ClusterSetId, kindOfSet, projectOfSet, selectionOfSet } from '../../ports/clusters/cluster-set.ts'
import { greatestId } from '../../lib/ids/ids.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { ClusterStore } from '../../ports/clusters/cluster-store.ts'
import type { ClusterTraces } from '../../ports/clusters/cluster-traces.ts'
import type { ClusterWorker } from '../worker/cluster-worker.ts'
import type { RemoveDeleted } from './remove-deleted.ts'
import { stepParts } from './step-parts.ts'
import { findFailure, type FindMetric } from '../../ports/metrics/resolve-failure.ts'
import type { InputPathOf } from './store-missing-features.ts'

export interface AssignNewDependencies {
  readonly traces: ClusterTraces
  readonly inputPathOf: InputPathOf
  readonly findMetric: FindMetric
  readonly clusters: Pick<ClusterStore, 'currentRun'>
  readonly worker: Pick<ClusterWorker, 'ask'>
  readonly forget: Pick<RemoveDeleted, 'among'>
  readonly clock: Clock
  readonly timers: Pick<Timers, 'after'>
  /** Does the work and logs its failure. */
  readonly attempt: (work: () => Promise<void>) => Promise<void>
}

interface CatchUp {
  /** The promise that its readers wait for. */
  readonly awaited: Promise<void>
  readonly resolve: () => void
  /** Cancels the timer that runs: first of the wait, then of the pause. */
  cancel: () => void
}

/** Traces of a project before the turn of the next one. */
const MOST_TOGETHER = 1000
/** Later steps of a trace may still arrive; the first one mostly has the user's request. */
const LEAST_AGE_MS = 20_000
/** The longest delay of a read. The thread starts in this time, and about a thousand traces are assigned. */
const LONGEST_WAIT_MS = 2000
/** From the end of one catch-up of a project to the next. */
const PAUSE_MS = 15_000

/**
 * Assigns traces that arrived since the last discovery of their project to its nearest clusters, when somebody reads
 * the clusters: an assignment costs about a third of a commit, and most clusters are read rarely.
 */
export class AssignNewTraces {
  readonly #dependencies: AssignNewDependencies
  /** By project, until its pause ends. */
  readonly #catchUps = new Map<ClusterSetId, CatchUp>()
  /** Projects that may have such traces. */
  readonly #waiting = new Set<ClusterSetId>()
  #running: Promise<void> | null = null
  #stopped = false

  constructor(dependencies: AssignNewDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Call it before a read of the project's clusters. Resolves when its new traces are assigned, at the latest after
   * LONGEST_WAIT_MS; the remaining ones are assigned afterwards. Never rejects.
   */
  catchUp(setId: ClusterSetId): Promise<void> {
    const open = this.#catchUps.get(setId)
    if (open !== undefined) return open.awaited
    // What matches the filters of a selection is not looked up again.
    if (this.#stopped || selectionOfSet(setId) !== null) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#dependencies.timers.after(LONGEST_WAIT_MS, resolve)
    this.#catchUps.set(setId, { awaited: promise, resolve, cancel })
    this.#waiting.add(setId)
    this.#running ??= this.#run()
    return promise
  }

  /** Resolves when no work is left. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#waiting.clear()
    for (const setId of this.#catchUps.keys()) this.#end(setId)
    await this.#running
  }

  async #run(): Promise<void> {
    // A project that has more of them comes again after the others.
    for (const setId of this.#waiting) {
      this.#waiting.delete(setId)
      await this.#dependencies.attempt(async () => {
        if ((await this.#assign(setId)) && !this.#stopped) this.#waiting.add(setId)
      })
      if (!this.#waiting.has(setId)) this.#end(setId)
    }
    // At once: the next reader starts another run.
    this.#running = null
  }

  #end(setId: ClusterSetId): void {
    const catchUp = this.#catchUps.get(setId)!
    catchUp.cancel()
    catchUp.resolve()
    if (this.#stopped) return
    catchUp.cancel = this.#dependencies.timers.after(PAUSE_MS, () => this.#catchUps.delete(setId))
  }

  /** Returns whether the project has more of them that are old enough. */
  async #assign(setId: ClusterSetId): Promise<boolean> {
    const { traces, clusters, worker, forget, clock, inputPathOf, findMetric } = this.#dependencies
    const projectId = projectOfSet(setId)
    const run = await clusters.currentRun(setId)
    if (run === undefined) return false
    const { id: runId, assignedThrough, parameters } = run
    const ofFailures = kindOfSet(setId) === 'failures'
    const failure = ofFailures ? await findFailure(findMetric, projectId, parameters.failureBy) : undefined
    // Its metric was deleted, so it is unknown which new traces failed. The next discovery needs another measure.
    if (failure !== undefined && 'wrong' in failure) return false
    const listed = await traces.list({
      projectId,
      ...(failure && { failure }),
      lowestId: assignedThrough,
      highestId: greatestId('tr'),
      createdFrom: 0,
      order: 'asc',
      limit: MOST_TOGETHER,
    })
    const young = listed.findIndex(({ createdAt }) => isYoung(createdAt, clock.now()))
    const settled = (young < 0 ? listed : listed.slice(0, young)).filter(({ id }) => id !== assignedThrough)
    const last = settled.at(-1)
    if (last === undefined) return false
    const inputPath = await inputPathOf(setId)
    const wanted = ofFailures ? settled.filter(({ failed }) => failed === true) : settled
    for await (const part of stepParts(traces, setId, wanted, inputPath)) {
      const isComparable = await worker.ask('assign', { setId, runId, ...part, through: assignedThrough })
      if (!isComparable) return false
    }
    const none = { traces: [], steps: [], inputPath, inMessages: null }
    if (!(await worker.ask('assign', { setId, runId, ...none, through: last.id }))) return false
    // Traces that were deleted since they were listed.
    await forget.among(
      projectId,
      settled.map(({ id }) => id),
    )
    return young < 0 && listed.length === MOST_TOGETHER
  }
}

/**
 * A trace with a creation time in the future was committed by a clock that has been corrected since: waiting for it
 * would delay all later traces.
 */
function isYoung(createdAt: number, now: number): boolean {
  return createdAt > now - LEAST_AGE_MS && createdAt <= now
}
