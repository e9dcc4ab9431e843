import type { DomainError } from '../../lib/domain-error.ts'
import type { CommitOutcome, CommitPlan, Known, Log, LogListener, Unknowns, Watermark } from './log.ts'

/** A log that keeps its plans in memory, and nothing of media. */
export class MemoryLog implements Log {
  readonly plans: CommitPlan[] = []
  readonly #listeners = new Set<LogListener>()
  #position = 0

  watermark(): Watermark {
    const last = this.plans.at(-1)
    return { version: last?.version ?? 0, lastTraceId: last?.lastTraceId ?? null, idLeadMs: 0 }
  }

  async lookUp(unknowns: Unknowns): Promise<Known> {
    const plans = [...this.plans]
    const asked = (is: boolean) => {
      if (!is) throw new Error('this was not asked about')
    }
    return {
      traceKey: (projectId, key) => {
        asked(unknowns.traceKeys.some((one) => one.projectId === projectId && one.key === key))
        return plans.flatMap(({ traceKeys }) => traceKeys).find((one) => one.projectId === projectId && one.key === key)
      },
      stepKey: (traceId, key) => {
        asked(unknowns.stepKeys.some((one) => one.traceId === traceId && one.key === key))
        return plans.flatMap(({ stepKeys }) => stepKeys).find((one) => one.traceId === traceId && one.key === key)
      },
      metricEventKey: (traceId, key) => {
        asked(unknowns.metricEventKeys.some((one) => one.traceId === traceId && one.key === key))
        return plans
          .flatMap(({ metricEventKeys }) => metricEventKeys)
          .find((one) => one.traceId === traceId && one.key === key)
      },
      hasMedia: () => false,
      attachmentsOf: () => 0,
    }
  }

  async room(): Promise<void> {}

  async commit(plan: CommitPlan): Promise<CommitOutcome> {
    const taken = new Set(this.plans.flatMap(({ traceKeys }) => traceKeys.map(({ projectId, key }) => projectId + key)))
    const isTaken = plan.traceKeys.some(({ projectId, key }) => taken.has(projectId + key))
    if (plan.version !== this.watermark().version + 1 || isTaken) return { status: 'conflict' }
    this.plans.push(plan)
    const rows = plan.projects.map(({ projectId, events }) => {
      this.#position += events.length
      return { projectId, lastPosition: this.#position, committedAt: plan.committedAt, events }
    })
    for (const { committed } of this.#listeners) committed?.({ plan, rows })
    return { status: 'committed', rows }
  }

  refusal(): DomainError | null {
    return null
  }

  subscribe(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}
