import type { Monitor } from '@spoor/contract/schemas/monitor'
import { filterOfGroup } from '../explore/groups.ts'
import { withFilter } from '../traces/filters/feed-filters.ts'
import { type FeedSearch, feedSearch } from '../traces/filters/search.ts'
import { toMetadataFilters } from './form/monitor-draft.ts'

const SORTED_BY: ReadonlySet<string> = new Set(['duration_ms', 'total_tokens'])

/**
 * The search of the list of traces or steps that shows what an evaluation counted: the rows of its window that pass the
 * monitor's filters, of one group if given, those first that moved the value. Null for a monitor of metric events.
 */
export function tracesBehind(
  { source, filters, for_each: forEach, window_seconds: seconds, comparison }: TracesBehindMonitor,
  evaluatedAt: string,
  group: string | null = null,
): FeedSearch | null {
  if (source.kind === 'metric') return null
  const { metadata = {}, source: _source, ...fields } = filters
  const isBelow = comparison === 'lt' || comparison === 'lte'
  const isFailure = source.measure === 'error_rate' && !isBelow
  const search = feedSearch({
    ...fields,
    meta: toMetadataFilters(metadata),
    ...(source.kind === 'steps' ? { as: 'steps' } : {}),
    ...(isFailure ? (source.kind === 'steps' ? { step_status: 'error' } : { status: 'error' }) : {}),
    ...(SORTED_BY.has(source.measure ?? '') ? { sort: source.measure, ...(isBelow ? { order: 'asc' } : {}) } : {}),
    from: new Date(Date.parse(evaluatedAt) - seconds * 1000).toISOString(),
    to: evaluatedAt,
  })
  const filter = forEach === null ? null : filterOfGroup(source.kind, forEach, group)
  return filter === null ? search : withFilter(search, filter)
}

type TracesBehindMonitor = Pick<Monitor, 'source' | 'filters' | 'for_each' | 'window_seconds' | 'comparison'>
