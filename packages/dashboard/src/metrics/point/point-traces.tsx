import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TraceMeasure } from '../../api/series.ts'
import { traceListQuery } from '../../api/trace-list.ts'
import { More } from '../../ui/more.tsx'
import { EmptyState, Loading } from '../../ui/states.tsx'
import { groupOfKey } from '../lines.ts'
import { PointHeading } from './point-heading.tsx'
import type { PointProps } from '../viewed-series.ts'
import { useListedTimes } from '../use-listed-times.ts'
import { feedSearchOf, filterOfGroup } from './trace-group.ts'
import { TraceRowItem } from './trace-row-item.tsx'

/** Sorts the list by the measure. */
const SORTED = {
  duration_ms: ', longest first',
  total_tokens: ', most tokens first',
  cost_usd: ', dearest first',
} as const

/** The traces of a chosen bucket, or of the whole range. */
export function PointTraces({ measure, ...point }: PointProps & { readonly measure: TraceMeasure }) {
  const { search, range, bucketMs } = point
  const { at, group_by: groupBy, group: groupKey } = search
  const times = useListedTimes(at, range, bucketMs)
  const group = groupKey === undefined ? undefined : groupOfKey(groupKey)
  const narrowed = group === undefined || groupBy === undefined ? {} : filterOfGroup(groupBy, group)
  const sort = measure in SORTED ? (measure as keyof typeof SORTED) : undefined
  const failed = measure === 'error_rate' ? ({ status: 'error' } as const) : {}
  const query = useInfiniteQuery(
    traceListQuery({ ...times, ...failed, ...narrowed, ...(sort === undefined ? {} : { sort }) }),
  )
  const { data } = query
  const traces = data?.pages.flatMap((page) => page.traces)
  const title = `${measure === 'error_rate' ? 'Failed traces' : 'Traces'}${sort === undefined ? '' : SORTED[sort]}`
  const { start_time: from, end_time: to } = times
  return (
    <section aria-labelledby="listed" className="flex flex-1 flex-col">
      <PointHeading {...point} title={title} rows="traces" isFiltered={narrowed !== null}>
        <Link
          to="/app/traces"
          search={{
            ...(from === undefined ? {} : { from, to: to ?? new Date().toISOString() }),
            ...failed,
            ...(sort === undefined ? {} : { sort }),
            ...(narrowed === null ? {} : feedSearchOf(narrowed)),
          }}
          className="text-accent text-sm hover:underline"
        >
          Open in trace list
        </Link>
      </PointHeading>
      <Loading query={query} rows={6} />
      {traces?.length === 0 && (
        <EmptyState title={measure === 'error_rate' ? 'No failed traces' : 'No traces'}>
          {measure === 'error_rate'
            ? 'No trace failed in this range.'
            : 'No traces in this range. Choose a longer range.'}
        </EmptyState>
      )}
      {traces !== undefined && traces.length > 0 && (
        <>
          <ul className="border-t">
            {traces.map((trace) => (
              <TraceRowItem key={trace.id} trace={trace} />
            ))}
          </ul>
          <More query={query} end="End of list" />
        </>
      )}
    </section>
  )
}
