import type { MonitorPreview } from '@spoor/contract/schemas/monitor'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { toBounds } from '../../api/client/feed.ts'
import { previewMonitor } from '../../api/monitors.ts'
import type { TimeRange } from '../../lib/time-range.ts'

type Definition = Omit<MonitorPreview, 'name' | 'enabled' | 'start_time' | 'end_time'>

/** Evaluates a definition over a range. A superseded query is aborted. */
export function previewQuery(definition: Definition, range: TimeRange) {
  return queryOptions({
    queryKey: ['monitor-preview', definition, range],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const { start_time, end_time } = toBounds(range)
      // The API refuses an end in the future.
      const end = end_time === null || Date.parse(end_time) >= Date.now() ? {} : { end_time }
      return previewMonitor({ ...definition, ...(start_time && { start_time }), ...end }, signal)
    },
  })
}
