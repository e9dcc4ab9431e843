import type { BoundedMeasure, TraceBound } from '@spoor/contract/trace-filters'
import { durationOf, totalTokens } from '../commit/rollup.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'

/** Whether a trace is within all bounds. What is unknown is within none. */
export function isWithin(trace: TraceRecord, bounds: readonly TraceBound[]): boolean {
  return bounds.every(({ measure, side, value }) => {
    const own = measureOf(trace, measure)
    return own !== null && (side === 'min' ? own >= value : own <= value)
  })
}

function measureOf(trace: TraceRecord, measure: BoundedMeasure): number | null {
  if (measure === 'duration_ms') return durationOf(trace)
  return measure === 'total_tokens' ? totalTokens(trace.tokenUsage) : trace.stepCount
}
