import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { COMPARED_STEPS } from '@spoor/contract/limits'
import { DomainError } from '../../lib/domain-error.ts'
import { Lanes } from '../../lib/flow/lanes.ts'
import { resultInTurns, type WorkTurns } from '../../lib/flow/work-turns.ts'
import type { Committed } from '../../ports/log/log.ts'
import type { TraceRecord, UnfoundedValue } from '../../ports/traces/trace-record.ts'
import type { TraceService } from '../trace-service.ts'
import type { TraceUseCases } from '../use-cases.ts'
import { type ArgumentValue, OriginReader } from './find-origins.ts'
import { listNewest } from './list-newest.ts'

export interface UnfoundedValuesDependencies {
  readonly traces: Pick<TraceUseCases, 'read' | 'list'>
  readonly work: WorkTurns
  readonly write: TraceService['writeUnfounded']
}

/** An argument comes from earlier steps if so large a share of so many values does. */
const USUAL_SHARE = 0.95
const LEAST_VALUES = 20
/** The runs of a project in which this is counted: the latest that were searched. */
const KEPT_RUNS = 200
/** Projects whose runs are in memory, about a megabyte each at most. Others are read again. */
const KEPT_PROJECTS = 20
/** Traces of a project that wait. Of more, the latest are searched. */
const MOST_WAITING = 1000
/** Traces with new steps that are not complete. */
const MOST_GROWING = 10_000

type RunName = Pick<TraceRecord, 'projectId' | 'id'>

interface SearchedRun {
  readonly trace: TraceRecord
  readonly values: readonly ArgumentValue[]
  /** What the trace has. */
  found: readonly UnfoundedValue[]
}

/**
 * Finds `value_from_nowhere` in complete traces: values that nothing before in the run has, of arguments that nearly
 * always come from there. The kept runs are decided again after each search, because more is known of their arguments
 * then. What was found stays until its step is replaced.
 */
export class UnfoundedValues {
  readonly #dependencies: UnfoundedValuesDependencies
  readonly #growing = new Set<TraceId>()
  readonly #waiting = new Lanes<RunName>()
  /** By project, the latest searched last. */
  readonly #runs = new Map<ProjectId, Map<TraceId, SearchedRun>>()

  constructor(dependencies: UnfoundedValuesDependencies) {
    this.#dependencies = dependencies
  }

  /** Call it for each commit. A complete trace with new steps waits for `search`. */
  committed({ plan }: Pick<Committed, 'plan'>): void {
    for (const { traceId } of plan.steps) this.#growing.add(traceId)
    for (const trace of plan.traces) {
      if (!trace.growing && this.#growing.delete(trace.id) && !trace.deleted) this.#wait(trace)
    }
    for (const first of this.#growing) {
      if (this.#growing.size <= MOST_GROWING) break
      this.#growing.delete(first)
    }
  }

  #wait({ projectId, id }: RunName): void {
    this.#waiting.add(projectId, { projectId, id })
    if (this.#waiting.lengthOf(projectId) > MOST_WAITING) this.#waiting.take(projectId)
  }

  get hasWork(): boolean {
    return this.#waiting.length > 0
  }

  /** Searches waiting traces until `isEnough`. Rejects as a read or a commit does; the trace is left out then. */
  async search(isOwn: (projectId: ProjectId) => boolean, isEnough: () => boolean): Promise<void> {
    const searched = new Set<ProjectId>()
    try {
      while (!isEnough()) {
        const trace = this.#waiting.next()
        if (trace === undefined) break
        if (!isOwn(trace.projectId)) continue
        await this.#searchRun(await this.#runsOf(trace.projectId), trace)
        searched.add(trace.projectId)
      }
    } finally {
      for (const projectId of searched) await this.#decide(await this.#runsOf(projectId))
    }
  }

  /** Of a project that is not in memory, the latest traces are searched first: this node knows nothing of them. */
  async #runsOf(projectId: ProjectId): Promise<Map<TraceId, SearchedRun>> {
    const kept = this.#runs.get(projectId)
    const runs = kept ?? new Map<TraceId, SearchedRun>()
    this.#runs.delete(projectId)
    this.#runs.set(projectId, runs)
    for (const first of this.#runs.keys()) {
      if (this.#runs.size <= KEPT_PROJECTS) break
      this.#runs.delete(first)
    }
    if (kept === undefined) {
      const newest = await listNewest(this.#dependencies.traces, projectId, { growing: false }, KEPT_RUNS)
      for (const trace of newest.toReversed()) this.#wait(trace)
    }
    return runs
  }

  async #searchRun(runs: Map<TraceId, SearchedRun>, { projectId, id }: RunName): Promise<void> {
    const { traces, work } = this.#dependencies
    try {
      const { trace, steps } = await traces.read(projectId, id)
      if (runs.get(id)?.trace.version === trace.version) return
      runs.delete(id)
      if (trace.growing || trace.stepCount > COMPARED_STEPS) return
      const reader = new OriginReader()
      const positions: number[] = []
      for await (const page of steps) {
        let at = 0
        await work.steps(projectId, () => {
          const step = page[at++]
          if (step === undefined) return false
          reader.add(step)
          positions.push(step.position)
          return true
        })
      }
      const values = await resultInTurns(reader.values(), (step) => work.steps(projectId, step))
      if (values === null) return
      const found = trace.digest.calls.unfounded ?? []
      runs.set(id, {
        trace,
        found,
        values: values.map(({ tool, path, at, isFounded }) => ({ tool, path, at: positions[at]!, isFounded })),
      })
      for (const first of runs.keys()) {
        if (runs.size <= KEPT_RUNS) break
        runs.delete(first)
      }
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'not_found') throw error
      runs.delete(id)
    }
  }

  async #decide(runs: Map<TraceId, SearchedRun>): Promise<void> {
    const usual = usualArguments([...runs.values()].flatMap(({ values }) => values))
    for (const [id, run] of runs) {
      const had = new Set(run.found.map((value) => JSON.stringify([value.tool, value.path, value.at])))
      const found = run.values.flatMap(({ tool, path, at, isFounded }) =>
        !isFounded && (usual.has(nameOf({ tool, path })) || had.has(JSON.stringify([tool, path, at])))
          ? [{ tool, path, at }]
          : [],
      )
      if (JSON.stringify(found) === JSON.stringify(run.found)) continue
      try {
        if (await this.#dependencies.write(run.trace, found)) run.found = found
        else runs.delete(id)
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'not_found') throw error
        runs.delete(id)
      }
    }
  }
}

/** Arguments that nearly always come from earlier in a run, by their names. */
export function usualArguments(values: readonly Omit<ArgumentValue, 'at'>[]): ReadonlySet<string> {
  const byName = Map.groupBy(values, nameOf)
  const isUsual = (all: readonly Omit<ArgumentValue, 'at'>[]) =>
    all.length >= LEAST_VALUES && all.filter(({ isFounded }) => isFounded).length >= USUAL_SHARE * all.length
  return new Set([...byName].flatMap(([name, all]) => (isUsual(all) ? [name] : [])))
}

/** All members of a list are values of one argument. */
export function nameOf({ tool, path }: Pick<ArgumentValue, 'tool' | 'path'>): string {
  return `${tool}\0${path.replace(/\/\d+(?=\/|$)/g, '/*')}`
}
