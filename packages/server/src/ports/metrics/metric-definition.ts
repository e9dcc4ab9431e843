import type { MetricId, ProjectId } from '@spoor/contract/ids'
import { meaningOf, type MetricMeaning } from '@spoor/contract/schemas/metrics/metric'

export interface MetricDefinition extends MetricMeaning {
  readonly projectId: ProjectId
  readonly id: MetricId
  /** Unique in the project; never changes, nor does the kind. */
  readonly name: string
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** Whether both validate and show events alike. */
export function meansTheSame(a: MetricDefinition, b: MetricDefinition): boolean {
  return a.name === b.name && JSON.stringify(meaningOf(a)) === JSON.stringify(meaningOf(b))
}

/** Zero has no sign. */
export function withoutSign<N extends number | null>(number: N): N | 0 {
  return number === 0 ? 0 : number
}
