import { FILTER_VALUES_MAX, SERIES_GROUPS_MAX } from '@spoor/contract/limits'
import type { TraceSession, TraceUser } from '@spoor/contract/schemas/traces/trace-summary'
import { useQueries } from '@tanstack/react-query'
import type { Filters } from '../api/client/feed.ts'
import { groupsQuery, seriesQuery, type SeriesRequest } from '../api/series.ts'
import type { GroupTotal } from '../lib/series-data.ts'
import type { TimeRange } from '../lib/time-range.ts'

/** The number of traces by bucket, by the id of a session or user. All rows of a page share their buckets. */
export type Activity = ReadonlyMap<string, readonly number[]>

type Pages = readonly (readonly (TraceSession | TraceUser)[])[]

interface Listed {
  readonly field: 'session_id' | 'user_id'
  readonly of: Filters
  readonly range: TimeRange
}

const BARS_MAX = 30

/** Rows that are not loaded, or failed to load, are missing: the table shows no error for them. */
export function useActivity(pages: Pages, listed: Listed): Activity {
  return useQueries({
    queries: pages.flatMap((rows) => toActivityRequests(rows, listed).map(activityQuery)),
    combine: (results) =>
      new Map(
        results.flatMap(({ data }) =>
          (data?.groups ?? []).map(
            ({ total, points }) => [total.group ?? '', points.map((point) => point?.count ?? 0)] as const,
          ),
        ),
      ),
  })
}

/** Like the rows, it does not follow new traces by itself. */
const activityQuery = (of: SeriesRequest) => ({
  ...seriesQuery(of),
  refetchInterval: false as const,
  staleTime: Infinity,
})

/** For the rows of a page; a filter has few values, so there are several. */
export function toActivityRequests(rows: Pages[number], listed: Listed): SeriesRequest[] {
  if (rows.length === 0) return []
  const { field, range } = listed
  const span = range.kind === 'all' ? spanOf(rows) : range
  return toRequests(rows, listed, { range: span, buckets: BARS_MAX, groupBy: [field], limit: FILTER_VALUES_MAX })
}

function toRequests(
  rows: Pages[number],
  { field, of }: Listed,
  more: Omit<SeriesRequest, 'subject' | 'bucket'>,
): SeriesRequest[] {
  const ids = rows.map((row) => ('session_id' in row ? row.session_id : row.user_id))
  const starts = Array.from(
    { length: Math.ceil(ids.length / FILTER_VALUES_MAX) },
    (_, index) => index * FILTER_VALUES_MAX,
  )
  return starts.map((start) => {
    const filters = { ...of.filters, [field]: ids.slice(start, start + FILTER_VALUES_MAX) }
    const subject = { rows: 'traces', measure: 'count', stat: 'count', of: { ...of, filters } } as const
    return Object.assign({ subject, bucket: null }, more)
  })
}

/** The types of errors of failed traces, the most frequent first, by the id of a session or user. */
export type Errors = ReadonlyMap<string | null, readonly GroupTotal[]>

/** As `useActivity`. */
export function useErrors(pages: Pages, listed: Listed): Errors {
  return useQueries({
    queries: pages.flatMap((rows) => toErrorRequests(rows, listed).map((request) => groupsQuery(request))),
    combine: (results) =>
      Map.groupBy(
        results.flatMap(({ data }) => data ?? []).filter(({ subgroup }) => typeof subgroup === 'string'),
        ({ group }) => group,
      ),
  })
}

export function toErrorRequests(rows: Pages[number], listed: Listed): SeriesRequest[] {
  const { field, of, range } = listed
  const failed = { ...listed, of: { ...of, filters: { ...of.filters, status: 'error' } } }
  const groups = { range, groupBy: [field, 'error_type'], limit: SERIES_GROUPS_MAX }
  return toRequests(
    rows.filter(({ error_count: count }) => count > 0),
    failed,
    groups,
  )
}

/** From the first trace of the rows to the last one. */
function spanOf(rows: Pages[number]): TimeRange {
  const first = Math.min(...rows.map(({ first_at }) => Date.parse(first_at)))
  const last = Math.max(...rows.map(({ last_at }) => Date.parse(last_at)))
  return { kind: 'between', from: new Date(first).toISOString(), to: new Date(last + 1).toISOString() }
}
