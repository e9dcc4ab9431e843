import type { ProjectId } from '@spoor/contract/ids'
import type { DomainError } from '../../lib/domain-error.ts'
import type { BlobKey } from '../media/blob-store.ts'
import type { CommitOutcome, CommitPlan, Known, Log, LogListener, Unknowns, Watermark } from './log.ts'

/** A log that stores its plans in memory. A test sets which media exists and which commits fail. */
export class MemoryLog implements Log {
  readonly plans: CommitPlan[] = []
  /** Thrown once by the next commit. */
  nextFailure: DomainError | null = null
  /** Thrown by all commits while it is set. */
  failure: DomainError | null = null
  readonly #media = new Set<string>()
  readonly #pending = new Set<BlobKey>()
  readonly #listeners = new Set<LogListener>()
  #position = 0

  addMedia(projectId: ProjectId, sha256: string): void {
    this.#media.add(projectId + sha256)
  }

  beginBlob(key: BlobKey): void {
    this.#pending.add(key)
  }

  watermark(): Watermark {
    const last = this.plans.at(-1)
    return { version: last?.version ?? 0, lastTraceId: last?.lastTraceId ?? null, idLeadMs: 0 }
  }

  begin(): Watermark {
    return this.watermark()
  }

  async lookUp(unknowns: Unknowns): Promise<Known> {
    const plans = [...this.plans]
    const media = new Set(this.#media)
    const require = (isLookedUp: boolean) => {
      if (!isLookedUp) throw new Error('this was not looked up')
    }
    return {
      traceKey: (projectId, key) => {
        require(unknowns.traceKeys.some((one) => one.projectId === projectId && one.key === key))
        return plans.flatMap(({ traceKeys }) => traceKeys).find((one) => one.projectId === projectId && one.key === key)
      },
      stepKey: (traceId, key) => {
        require(unknowns.stepKeys.some((one) => one.traceId === traceId && one.key === key))
        return plans.flatMap(({ stepKeys }) => stepKeys).find((one) => one.traceId === traceId && one.key === key)
      },
      metricEventKey: (traceId, key) => {
        require(unknowns.metricEventKeys.some((one) => one.traceId === traceId && one.key === key))
        return plans
          .flatMap(({ metricEventKeys }) => metricEventKeys)
          .find((one) => one.traceId === traceId && one.key === key)
      },
      hasMedia: (projectId, sha256) => {
        require(unknowns.media.some((one) => one.projectId === projectId && one.sha256 === sha256))
        return media.has(projectId + sha256)
      },
      attachmentsOf: (traceId) => {
        require(unknowns.attachments.includes(traceId))
        return plans.flatMap(({ attachments }) => attachments).filter((one) => one.traceId === traceId).length
      },
    }
  }

  async commit(plan: CommitPlan): Promise<CommitOutcome> {
    if (this.failure !== null) throw this.failure
    if (plan.version !== this.watermark().version + 1 || this.#contradicts(plan)) return { status: 'conflict' }
    const failure = this.nextFailure
    this.nextFailure = null
    if (failure !== null) {
      for (const { refusing } of this.#listeners) refusing?.(failure)
      throw failure
    }
    this.plans.push(plan)
    for (const { projectId, sha256 } of plan.attachments) this.addMedia(projectId, sha256)
    const rows = plan.projects.map(({ projectId, events }) => {
      this.#position += events.length
      return { projectId, lastPosition: this.#position, committedAt: plan.committedAt, events }
    })
    for (const { committed } of this.#listeners) committed?.({ plan, rows })
    return { status: 'committed', version: plan.version, rows }
  }

  refusal(): DomainError | null {
    return this.failure
  }

  subscribe(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Whether a key of the plan is taken, or media that it links is missing. */
  #contradicts(plan: CommitPlan): boolean {
    const taken = new Set(this.plans.flatMap(namesOf))
    const missing = plan.attachments.filter(({ projectId, sha256 }) => !this.#media.has(projectId + sha256))
    const gone = missing.filter(({ stored }) => stored === undefined || !this.#pending.has(stored.key))
    for (const { stored } of gone) if (stored !== undefined) stored.isGone = true
    return gone.length > 0 || namesOf(plan).some((name) => taken.has(name))
  }
}

function namesOf({ traceKeys, stepKeys, metricEventKeys }: CommitPlan): string[] {
  return [
    ...traceKeys.map(({ projectId, key }) => `trace ${projectId} ${key}`),
    ...stepKeys.map(({ traceId, key }) => `step ${traceId} ${key}`),
    ...metricEventKeys.map(({ traceId, key }) => `event ${traceId} ${key}`),
  ]
}
