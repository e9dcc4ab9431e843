import type { TraceFeed, TraceRow } from '@spoor/contract/schemas/trace-row'
import { queryOptions } from '@tanstack/react-query'
import { timeOfId } from '../lib/time-of-id.ts'
import { ApiError } from './api-error.ts'
import { request } from './request.ts'

/**
 * The feed's row of one trace: the feed of the millisecond its id was made in, since the trace itself may have megabytes of steps. 404 when it is not among the
 * first 1,000 of that, or when the service's clock had been ahead and its id does not have the time of its creation.
 */
export function traceRowQuery(traceId: string) {
  return queryOptions({
    queryKey: ['trace-row', traceId],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<TraceRow> => {
      const time = timeOfId(traceId)
      const { traces } = await request<TraceFeed>('/v1/traces', {
        query: {
          start_time: new Date(time).toISOString(),
          end_time: new Date(time + 1).toISOString(),
          limit: 1000,
        },
        signal,
      })
      const row = traces.find(({ id }) => id === traceId)
      if (row === undefined) throw new ApiError(404, { detail: 'There is no such trace any more.', code: 'not_found' })
      return row
    },
  })
}
