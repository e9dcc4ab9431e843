import { atOnce } from '../../../lib/flow/in-slices.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { NewMetricEvent, NewStep } from '../../../ports/traces/trace-store.ts'
import type { RowBytes } from '../../recent/settled-rows.ts'
import { SettleBatch } from '../../recent/settle-batch.ts'

/** All these rows in the engine's format, including every version of a trace. */
export function rowsOf(
  traces: readonly TraceRecord[],
  steps: readonly NewStep[],
  metricEvents: readonly NewMetricEvent[] = [],
): RowBytes {
  return atOnce(new SettleBatch(true).write({ version: 1, traces, steps, metricEvents }))
}
