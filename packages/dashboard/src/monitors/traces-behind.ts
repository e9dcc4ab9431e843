import type { Monitor } from '@spoor/contract/schemas/monitor'
import { filtersOfGroups, METADATA_GROUP, METRIC_GROUP } from '../explore/groups.ts'
import { changed } from '../lib/search.ts'
import { withFilter } from '../traces/filters/feed-filters.ts'
import { type FeedSearch, feedSearch } from '../traces/filters/search.ts'
import { toMetadataFilters } from './form/monitor-draft.ts'

/** Aggregations that cross a threshold only if a number does. */
const OF_NUMBERS: ReadonlySet<string> = new Set(['min', 'max', 'p50', 'p90', 'p95', 'p99'])

/**
 * The search of the list of traces or steps that shows what an evaluation counted: the rows of its window that pass the
 * monitor's filters, of one group if given, those first that moved the value. For a metric, the traces with such a
 * score in the window. Null if no filter of the list says the same.
 */
export function tracesBehind(
  monitor: TracesBehindMonitor,
  evaluatedAt: string,
  group: string | null = null,
): FeedSearch | null {
  const { source, filters, for_each: forEach } = monitor
  const windowMs = monitor.window_seconds * 1000
  // A window has its end, and not its start; bounds of a list the reverse.
  const timeAt = (ms: number) => new Date(Date.parse(evaluatedAt) + ms).toISOString()
  const { metadata = {}, source: eventSource, ...fields } = filters
  const isOfMetric = source.kind === 'metric'
  const rows = source.kind === 'steps' ? 'steps' : 'traces'
  const ofGroup = forEach === null ? [] : filtersOfGroups(rows, [forEach], [group])
  const isByMetric = forEach?.startsWith(METRIC_GROUP) === true
  // The metadata of an event comes before that of its trace.
  const isOfEvents = eventSource !== undefined || Object.keys(metadata).length > 0 || isMetadata(forEach)
  if (isOfMetric && (isOfEvents || hasScores(fields) || ofGroup === null)) return null
  if (isByMetric && group !== null && (isOfMetric || hasScores(fields))) return null
  const search = feedSearch({
    ...fields,
    meta: toMetadataFilters(metadata),
    ...(rows === 'steps' ? { as: 'steps' } : {}),
    ...(isOfMetric
      ? { ...scores(monitor), range: 'all', event_start_time: timeAt(1 - windowMs), event_end_time: timeAt(1) }
      : { ...worst(monitor), from: timeAt(-windowMs), to: evaluatedAt }),
  })
  return (ofGroup ?? []).reduce(withFilter, search)
}

const NO_SCORES = { passed: undefined, min_value: undefined, max_value: undefined, option: undefined }

/** All runs that an evaluation counted; without conditions on events that lists do not know. */
export function runsBehind(monitor: TracesBehindMonitor, evaluatedAt: string, group: string | null): FeedSearch | null {
  const all = { ...monitor, source: { ...monitor.source, measure: 'count' as const } }
  const ofEvents = { ...NO_SCORES, metric: undefined, source: undefined, metadata: undefined }
  const filters = changed(monitor.filters, ofEvents)
  return tracesBehind(all, evaluatedAt, group) ?? tracesBehind({ ...all, filters, for_each: null }, evaluatedAt)
}

/** What failed among the runs of `behind`: for a pass rate those that did not pass, compared with those that did. */
export function whyOf(
  { source, aggregation }: Pick<Monitor, 'source' | 'aggregation'>,
  behind: FeedSearch | null,
): { readonly search: FeedSearch; readonly failureBy: string | null } | null {
  if (behind === null) return null
  if (source.kind !== 'metric') return { search: behind, failureBy: source.measure === 'error_rate' ? 'status' : null }
  const search = changed(behind, NO_SCORES)
  return { search, failureBy: aggregation === 'pass_rate' ? `metric:${search.metric}` : null }
}

type TracesBehindMonitor = Pick<
  Monitor,
  'source' | 'filters' | 'for_each' | 'aggregation' | 'window_seconds' | 'comparison' | 'threshold'
>

/** A list takes one event of a metric. */
const hasScores = ({ metric, passed, min_value, max_value, option }: Monitor['filters']) =>
  [metric, passed, min_value, max_value, option].some((value) => value !== undefined)
const isMetadata = (field: string | null) => field?.startsWith(METADATA_GROUP) === true
const isBelow = ({ comparison }: TracesBehindMonitor) => comparison === 'lt' || comparison === 'lte'

function worst(monitor: TracesBehindMonitor): FeedSearch {
  const { kind, measure } = monitor.source
  if (measure === 'error_rate' && !isBelow(monitor)) {
    return kind === 'steps' ? { step_status: 'error' } : { status: 'error' }
  }
  if (measure !== 'duration_ms' && measure !== 'total_tokens' && measure !== 'cost_usd') return {}
  return { sort: measure, ...(isBelow(monitor) ? { order: 'asc' } : {}) }
}

function scores(monitor: TracesBehindMonitor): FeedSearch {
  const { source, aggregation, threshold } = monitor
  const metric = source.metric ?? ''
  if (aggregation === 'pass_rate') return { metric, passed: !isBelow(monitor) }
  if (aggregation === 'share' && !isBelow(monitor)) return { metric, option: source.option ?? '' }
  if (!OF_NUMBERS.has(aggregation)) return { metric }
  return { metric, ...(isBelow(monitor) ? { max_value: threshold } : { min_value: threshold }) }
}

/** The evaluation at which a fired monitor, or the latest of its groups, fired. */
export function latestFiring({ state_since, groups = [] }: Pick<Monitor, 'state_since' | 'groups'>): {
  readonly at: string
  readonly group: string | null
} {
  const fired = groups.filter(({ state }) => state === 'fired')
  const newest = fired.toSorted((a, b) => Date.parse(b.state_since) - Date.parse(a.state_since))[0]
  return newest === undefined ? { at: state_since, group: null } : { at: newest.state_since, group: newest.group }
}
