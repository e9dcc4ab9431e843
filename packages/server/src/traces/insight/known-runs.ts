import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import type { WorkTurns } from '../../lib/flow/work-turns.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { TraceUseCases } from '../use-cases.ts'
import { type Run, RunReader } from './run-actions.ts'

export interface KnownRunsDependencies {
  readonly traces: Pick<TraceUseCases, 'read'>
  readonly work: WorkTurns
}

/** Approximate memory of kept runs, bytes. */
const KEPT_BYTES = 32 * 1024 * 1024
/** Of a run, and of an action beside its texts. */
const RUN_BYTES = 1000
const ACTION_BYTES = 300

/** Reads what runs did, and keeps it for the next request: successes are compared with many runs. */
export class KnownRuns {
  readonly #dependencies: KnownRunsDependencies
  /** By trace, the latest used last. */
  readonly #kept = new Map<TraceId, { readonly version: number; readonly run: Run }>()
  #bytes = 0

  constructor(dependencies: KnownRunsDependencies) {
    this.#dependencies = dependencies
  }

  /** Undefined for a trace that was deleted meanwhile. */
  async read(projectId: ProjectId, { id, version }: Pick<TraceRecord, 'id' | 'version'>): Promise<Run | undefined> {
    const kept = this.#kept.get(id)
    if (kept !== undefined) this.#drop(id, kept.run)
    const run = kept?.version === version ? kept.run : await this.#readSteps(projectId, id)
    if (run === undefined) return undefined
    const replaced = this.#kept.get(id)
    if (replaced !== undefined) this.#drop(id, replaced.run)
    this.#kept.set(id, { version, run })
    this.#bytes += bytesOf(run)
    for (const [oldest, { run: dropped }] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES || oldest === id) break
      this.#drop(oldest, dropped)
    }
    return run
  }

  async #readSteps(projectId: ProjectId, id: TraceId): Promise<Run | undefined> {
    const { traces, work } = this.#dependencies
    const reader = new RunReader()
    try {
      const { steps } = await traces.read(projectId, id)
      for await (const page of steps) {
        let at = 0
        await work.steps(projectId, () => {
          const step = page[at++]
          if (step !== undefined) reader.add(step)
          return step !== undefined
        })
      }
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found') return undefined
      throw error
    }
    return reader.run()
  }

  #drop(id: TraceId, run: Run): void {
    this.#kept.delete(id)
    this.#bytes -= bytesOf(run)
  }
}

function bytesOf({ actions }: Run): number {
  return actions.reduce((sum, { key, label }) => sum + ACTION_BYTES + key.length + label.length, RUN_BYTES)
}
