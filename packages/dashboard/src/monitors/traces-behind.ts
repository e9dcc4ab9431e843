import type { Monitor } from '@spoor/contract/schemas/monitor'
import { filtersTakenBy } from '@spoor/contract/trace-filters'

const TRACE_FILTERS: readonly string[] = filtersTakenBy('lists')

/**
 * The search of the trace list that shows what an evaluation counted: the traces of its window that pass the monitor's
 * filters, those first that moved the value. Null for a monitor of metric events.
 */
export function tracesBehind(
  { source, filters, window_seconds: seconds, comparison }: TracesBehindMonitor,
  evaluatedAt: string,
) {
  if (source.kind !== 'traces') return null
  const { metadata = {}, ...others } = filters
  const meta = Object.entries(metadata).map(([key, value]) =>
    value === null ? ([key] as const) : ([key, typeof value === 'string' ? value : JSON.stringify(value)] as const),
  )
  const fields = Object.entries(others).filter(([field]) => TRACE_FILTERS.includes(field))
  const isBelow = comparison === 'lt' || comparison === 'lte'
  const sort = source.measure === 'duration_ms' || source.measure === 'total_tokens' ? source.measure : undefined
  return {
    ...(Object.fromEntries(fields) as Omit<Monitor['filters'], 'metadata' | 'source'>),
    ...(meta.length === 0 ? {} : { meta }),
    ...(source.measure === 'error_rate' && !isBelow ? { status: 'error' as const } : {}),
    ...(sort === undefined ? {} : { sort, ...(isBelow ? { order: 'asc' as const } : {}) }),
    from: new Date(Date.parse(evaluatedAt) - seconds * 1000).toISOString(),
    to: evaluatedAt,
  }
}

type TracesBehindMonitor = Pick<Monitor, 'source' | 'filters' | 'window_seconds' | 'comparison'>
