import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'

interface ShownTrace {
  /** If omitted, the reason stays. */
  setRow(row: TraceRow, flagReason?: string | null): void
  addMetricEvent(event: MetricEvent): void
  removeMetricEvent(event: MetricEvent): void
}

/** What screens show, by id: an undo may end on another screen than the change. */
export const shownTraces = new Map<string, ShownTrace>()
