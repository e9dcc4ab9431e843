import type { MetricId, ProjectId } from '@spoor/contract/ids'

export interface MetricOption {
  readonly value: string
  readonly label: string | null
}

/** The full definition except name and kind. A field that is not set, or does not belong to the kind, is null. */
export interface MetricMeaning {
  readonly description: string | null
  /** Bounds on the values of a numeric metric, inclusive. */
  readonly min: number | null
  readonly max: number | null
  readonly unit: string | null
  /** Of an enum metric, in order; null for the other kinds. */
  readonly options: readonly MetricOption[] | null
  readonly direction: 'higher' | 'lower' | null
}

export interface MetricDefinition extends MetricMeaning {
  readonly projectId: ProjectId
  readonly id: MetricId
  /** Unique in the project; never changes. */
  readonly name: string
  readonly kind: 'boolean' | 'numeric' | 'enum'
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** Whether both validate and show events alike. */
export function meansTheSame(a: MetricDefinition, b: MetricDefinition): boolean {
  return a.name === b.name && a.kind === b.kind && meaningText(a) === meaningText(b)
}

function meaningText({ description, min, max, unit, options, direction }: MetricMeaning): string {
  return JSON.stringify([description, min, max, unit, options?.map(({ value, label }) => [value, label]), direction])
}

/** Zero has no sign. */
export function withoutSign<N extends number | null>(number: N): N | 0 {
  return number === 0 ? 0 : number
}
