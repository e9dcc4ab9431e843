import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { Lanes } from '../../lib/flow/lanes.ts'
import { resultInTurns, type WorkTurns } from '../../lib/flow/work-turns.ts'
import { setLatest } from '../../lib/set-latest.ts'
import type { Committed } from '../../ports/log/log.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { TraceService } from '../trace-service.ts'
import type { TraceUseCases } from '../use-cases.ts'
import { type ArgumentValue, OriginReader } from './find-origins.ts'
import { UsualArguments } from './usual-arguments.ts'

export interface UnfoundedValuesDependencies {
  readonly traces: Pick<TraceUseCases, 'read'>
  readonly work: WorkTurns
  readonly write: TraceService['writeUnfounded']
}

/** Steps of a trace that is searched. */
const MOST_STEPS = 3000
/** Traces of a project that wait. Of more, the latest are searched. */
const MOST_WAITING = 1000
/** Traces that are searched when they are complete, and traces whose number of counted steps is known. */
const MOST_TRACES = 10_000
/** Projects whose arguments are counted: some kilobytes each, 100 KB at most. */
const MOST_PROJECTS = 1000
/** The store may take the finding later. */
const TEMPORARY = new Set(['storage_unavailable', 'disk_full', 'queue_full', 'too_many_reads'])

type RunName = Pick<TraceRecord, 'projectId' | 'id'>

/**
 * Finds `value_from_nowhere` in complete traces: values that no input or result before has, of arguments that nearly
 * always come from there in the traces that were searched before. A finding stays until its step is replaced.
 */
export class UnfoundedValues {
  readonly #dependencies: UnfoundedValuesDependencies
  readonly #growing = new Map<TraceId, true>()
  readonly #waiting = new Lanes<RunName>()
  readonly #usual = new Map<ProjectId, UsualArguments>()
  readonly #counted = new Map<TraceId, number>()

  constructor(dependencies: UnfoundedValuesDependencies) {
    this.#dependencies = dependencies
  }

  /** For each commit. A complete trace waits for `search` if it grew, if new steps know calls, or if steps changed. */
  committed({ plan }: Pick<Committed, 'plan'>): void {
    for (const { traceId, prepared, replaces } of plan.steps)
      if (prepared.calls.knowsCalls || replaces) setLatest(this.#growing, traceId, true, MOST_TRACES)
    for (const trace of plan.traces) {
      // What it called before a restart is not known.
      if (trace.growing) setLatest(this.#growing, trace.id, true, MOST_TRACES)
      else if (this.#growing.delete(trace.id) && !trace.deleted) this.#wait(trace)
    }
  }

  #wait({ projectId, id }: RunName): void {
    this.#waiting.add(projectId, { projectId, id })
    if (this.#waiting.lengthOf(projectId) > MOST_WAITING) this.#waiting.dropFirst(projectId)
  }

  get hasWork(): boolean {
    return this.#waiting.length > 0
  }

  /** Searches waiting traces until `isEnough`. Rejects as a read or a commit does. */
  async search(isOwn: (projectId: ProjectId) => boolean, isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      const trace = this.#waiting.next()
      if (trace === undefined) return
      if (!isOwn(trace.projectId)) continue
      try {
        await this.#search(trace)
      } catch (error) {
        if (!(error instanceof DomainError)) throw error
        if (error.code === 'not_found') continue
        if (TEMPORARY.has(error.code)) this.#wait(trace)
        throw error
      }
    }
  }

  async #search({ projectId, id }: RunName): Promise<void> {
    const { traces, work, write } = this.#dependencies
    const { trace, steps } = await traces.read(projectId, id)
    if (trace.growing || trace.stepCount > MOST_STEPS) return
    const reader = new OriginReader()
    const positions: number[] = []
    for await (const page of steps) {
      let at = 0
      await work.steps(projectId, () => {
        const step = page[at++]
        if (step === undefined || reader.isFull) return false
        reader.add(step)
        positions.push(step.position)
        return true
      })
      if (reader.isFull) return
    }
    const values = await resultInTurns(reader.values(), (step) => work.steps(projectId, step))
    if (values === null) return
    const usual = this.#count(trace, values)
    const before = trace.digest.calls.unfounded ?? []
    const found = values.flatMap(({ tool, path, at: index, isFounded }) => {
      const at = positions[index]!
      const isKnown = before.some((one) => one.tool === tool && one.path === path && one.at === at)
      return !isFounded && (isKnown || usual.has({ tool, path })) ? [{ tool, path, at }] : []
    })
    if (JSON.stringify(found) === JSON.stringify(before)) return
    // Steps may have been replaced.
    if (!(await write(trace, found))) this.#wait(trace)
  }

  /** Counts the values of steps that are new since the last search. */
  #count({ projectId, id, stepCount }: TraceRecord, values: readonly ArgumentValue[]): UsualArguments {
    const usual = this.#usual.get(projectId) ?? new UsualArguments()
    setLatest(this.#usual, projectId, usual, MOST_PROJECTS)
    const counted = this.#counted.get(id) ?? 0
    for (const value of values) if (value.at >= counted) usual.count(value)
    setLatest(this.#counted, id, stepCount, MOST_TRACES)
    return usual
  }
}
