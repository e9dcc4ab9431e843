import type { MonitorPreview } from '@spoor/contract/schemas/monitor'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { previewMonitor } from '../../api/monitors.ts'
import { boundsOf, type TimeRange } from '../../lib/time-range.ts'

type Definition = Omit<MonitorPreview, 'name' | 'enabled' | 'start_time' | 'end_time'>

/** Evaluates a definition over a range. A superseded query is aborted. */
export function previewQuery(definition: Definition, range: TimeRange) {
  return queryOptions({
    queryKey: ['monitor-preview', definition, range],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const { from, to } = boundsOf(range, Date.now())
      return previewMonitor(
        {
          ...definition,
          ...(from === null ? {} : { start_time: new Date(from).toISOString() }),
          // The API refuses an end in the future.
          ...(to === null || to >= Date.now() ? {} : { end_time: new Date(to).toISOString() }),
        },
        signal,
      )
    },
  })
}
