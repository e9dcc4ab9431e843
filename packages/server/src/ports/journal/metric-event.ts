import type { MetricSource } from '@spoor/contract/schemas/metrics/metric-event'
import type { KeyId, MetricEventId, MetricId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'

/** Where a score comes from. */
export type { MetricSource }

/** The value of a score, for a boolean, a numeric and an enum metric. */
export type MetricValue =
  | { readonly kind: 'boolean'; readonly passed: boolean }
  | { readonly kind: 'numeric'; readonly number: number }
  | { readonly kind: 'enum'; readonly option: string }

/** One score as it was sent, valid by the definition of its metric. */
export interface MetricScore {
  readonly metricId: MetricId
  readonly traceId: TraceId
  readonly stepId: StepId | null
  readonly value: MetricValue
  readonly source: MetricSource | null
  readonly comment: string | null
  /** Raw JSON object as the client sent it, byte for byte. */
  readonly metadata: Buffer
  /** Scoped to the trace, like keys of steps, and separate from them. */
  readonly idempotencyKey: string | null
  /** When the trace was scored, milliseconds since 1970 UTC: the time of the event in series and windows. */
  readonly at: number
}

/** One committed metric event. Never changed; removed with its trace, or alone. */
export interface MetricEventRecord extends MetricScore {
  readonly projectId: ProjectId
  readonly id: MetricEventId
  /** The key that recorded it; null if it came with a span or from the API of another sender. */
  readonly createdBy: KeyId | null
  /** The commit that brought it. */
  readonly version: number
  /** When the service took it in, milliseconds since 1970 UTC. */
  readonly createdAt: number
}

export type RemovedMetricEvent = Pick<
  MetricEventRecord,
  'projectId' | 'traceId' | 'id' | 'metricId' | 'at' | 'idempotencyKey'
>

/** The outcome of recording one score. */
export type MetricEventVerdict =
  | { readonly status: 'created'; readonly event: MetricEventRecord }
  /** Recorded before, under the same idempotency key and with the same content. */
  | { readonly status: 'duplicate'; readonly eventId: MetricEventId }
  | {
      readonly status: 'error'
      readonly code: 'unknown_trace' | 'unknown_step' | 'idempotency_conflict'
      readonly detail: string
    }

export function plainValue(value: MetricValue): boolean | number | string {
  if (value.kind === 'boolean') return value.passed
  return value.kind === 'numeric' ? value.number : value.option
}
