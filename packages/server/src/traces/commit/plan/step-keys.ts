import type { StepId, TraceId } from '@spoor/contract/ids'
import type { StepKey } from '../../../ports/journal/journal.ts'
import type { PreparedStep } from '../../../ports/traces/prepared.ts'

/** The keys by which a step can be recognised in its trace; see `StepKey.key`. */
export function stepKeyNames({ id, idempotencyKey }: PreparedStep): string[] {
  const names: string[] = []
  if (idempotencyKey !== null) names.push(`k${idempotencyKey}`)
  if (id !== null) names.push(stepIdKey({ id }))
  return names
}

/** The key by which a step with an id of its sender is known. */
export function stepIdKey({ id }: Pick<PreparedStep, 'id'>): string {
  return `i${id}`
}

/** The key by which a span that is the trace itself is known. */
export function traceSpanKey({ id }: PreparedStep): string {
  return `t${id}`
}

/** The key by which a content is known that has replaced the first one of a span. */
export function correctionKey({ id, contentHash }: PreparedStep): string {
  return `c${id}:${contentHash}`
}

/** The key of what was imported of a trace after that many steps and metric events. */
export function partKey({ from, eventsFrom }: { readonly from: number; readonly eventsFrom: number }): string {
  return eventsFrom === 0 ? `p${from}` : `e${eventsFrom}`
}

/**
 * The key that says that so many metric events were imported of a trace: the next part may follow. `m` begins the keys
 * of metric events.
 */
export function eventsKey(count: number): string {
  return `n${count}`
}

/** Only an imported trace has it. */
export const FIRST_PART = partKey({ from: 0, eventsFrom: 0 })

export class NewStepKeys {
  readonly all: StepKey[] = []
  readonly #traceId: TraceId
  readonly #byKey = new Map<string, StepKey>()
  readonly #known: (key: string) => StepKey | undefined

  /** `known`: keys that an earlier operation or commit has given. */
  constructor(traceId: TraceId, known: (key: string) => StepKey | undefined) {
    this.#traceId = traceId
    this.#known = known
  }

  find(key: string): StepKey | undefined {
    return this.#byKey.get(key) ?? this.#known(key)
  }

  add(key: string, stepId: StepId, { contentHash }: Pick<PreparedStep, 'contentHash'>): void {
    const added = { traceId: this.#traceId, key, stepId, contentHash }
    this.#byKey.set(key, added)
    this.all.push(added)
  }

  /** Of steps with the same idempotency key the first is known by it. */
  addOf(step: PreparedStep, stepId: StepId): void {
    for (const key of stepKeyNames(step)) if (this.find(key) === undefined) this.add(key, stepId, step)
  }
}
