import type { TraceRecord } from '../../traces/trace-record.ts'
import type { NewStep } from '../../traces/trace-store.ts'
import { type RowBytes, SettleBatch } from './settle-batch.ts'

/** All these rows as the engine takes them; of several versions of a trace all. */
export function rowsOf(traces: readonly TraceRecord[], steps: readonly NewStep[]): RowBytes {
  const { traces: traceRows, steps: stepRows } = new SettleBatch(true).write({ version: 1, traces, steps })
  return { traces: traceRows, steps: stepRows }
}
