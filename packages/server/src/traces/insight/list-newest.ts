import type { ProjectId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { FeedQuery, TraceUseCases } from '../use-cases.ts'

/** The newest traces that pass these filters, named as in a query. */
export async function listNewest(
  traces: Pick<TraceUseCases, 'list'>,
  projectId: ProjectId,
  filters: object,
  limit: number,
  more: Partial<Pick<FeedQuery, 'metadata' | 'startTime' | 'endTime'>> = {},
): Promise<readonly TraceRecord[]> {
  const page = await traces.list({
    projectId,
    ...toTraceFilters('lists', filters),
    metadata: [],
    startTime: null,
    endTime: null,
    text: null,
    sort: 'created_at',
    order: 'desc',
    limit,
    cursor: null,
    ...more,
  })
  return page.traces
}
