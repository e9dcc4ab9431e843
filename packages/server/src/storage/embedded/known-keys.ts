import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { MetricEventKey, StepKey, TraceKey } from '../../ports/journal/journal.ts'
import type { Known, Unknowns } from '../../ports/log/log.ts'

/** Lookups of any key, which SQLite answers in microseconds each. */
export type KeyLookUps = Pick<Known, keyof Known>

/** Results of a lookup, read at once. */
export class KnownKeys implements Known {
  readonly #traceKeys: Results<TraceKey | undefined>
  readonly #stepKeys: Results<StepKey | undefined>
  readonly #metricEventKeys: Results<MetricEventKey | undefined>
  readonly #media: Results<boolean>
  readonly #attachments: Results<number>

  constructor(unknowns: Unknowns, lookUps: KeyLookUps) {
    this.#traceKeys = new Results('trace key')
    for (const { projectId, key } of unknowns.traceKeys) {
      this.#traceKeys.add(`${projectId}${key}`, () => lookUps.traceKey(projectId, key))
    }
    this.#stepKeys = new Results('step key')
    for (const { traceId, key } of unknowns.stepKeys) {
      this.#stepKeys.add(`${traceId}${key}`, () => lookUps.stepKey(traceId, key))
    }
    this.#metricEventKeys = new Results('metric event key')
    for (const { traceId, key } of unknowns.metricEventKeys) {
      this.#metricEventKeys.add(`${traceId}${key}`, () => lookUps.metricEventKey(traceId, key))
    }
    this.#media = new Results('media')
    for (const { projectId, sha256 } of unknowns.media) {
      this.#media.add(`${projectId}${sha256}`, () => lookUps.hasMedia(projectId, sha256))
    }
    this.#attachments = new Results('attachments')
    for (const traceId of unknowns.attachments) this.#attachments.add(traceId, () => lookUps.attachmentsOf(traceId))
  }

  traceKey(projectId: ProjectId, key: string): TraceKey | undefined {
    return this.#traceKeys.of(`${projectId}${key}`)
  }

  stepKey(traceId: TraceId, key: string): StepKey | undefined {
    return this.#stepKeys.of(`${traceId}${key}`)
  }

  metricEventKey(traceId: TraceId, key: string): MetricEventKey | undefined {
    return this.#metricEventKeys.of(`${traceId}${key}`)
  }

  hasMedia(projectId: ProjectId, sha256: string): boolean {
    return this.#media.of(`${projectId}${sha256}`)
  }

  attachmentsOf(traceId: TraceId): number {
    return this.#attachments.of(traceId)
  }
}

class Results<T> {
  readonly #what: string
  readonly #byName = new Map<string, T>()

  constructor(what: string) {
    this.#what = what
  }

  add(name: string, read: () => T): void {
    if (!this.#byName.has(name)) this.#byName.set(name, read())
  }

  of(name: string): T {
    if (!this.#byName.has(name)) throw new Error(`the ${this.#what} ${name} was not looked up`)
    return this.#byName.get(name) as T
  }
}
