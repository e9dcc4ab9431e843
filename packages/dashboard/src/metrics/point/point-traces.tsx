import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import type { TraceMeasure } from '../../api/series.ts'
import { traceListQuery } from '../../api/trace.ts'
import { More } from '../../ui/more.tsx'
import { EmptyState, Loading } from '../../ui/states.tsx'
import { groupOfKey } from '../lines.ts'
import { PointHeading } from './point-heading.tsx'
import type { PointProps } from '../search.ts'
import { useListedTimes } from './point-bounds.ts'
import { feedSearchOf, filterOfGroup } from './trace-group.ts'
import { formatCompact, formatCostShort } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { Badge } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'

/** Sorts the list by the measure. */
const SORTED = {
  duration_ms: ', longest first',
  total_tokens: ', most tokens first',
  cost_usd: ', dearest first',
} as const

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

function TraceRowItem({ trace }: { trace: TraceRow }) {
  const { id, name, status, duration_ms, token_usage, cost_usd, created_at, input_preview: input } = trace
  const duration = duration_ms === null ? null : formatDuration(duration_ms)
  const cost = cost_usd === null ? null : formatCostShort(cost_usd)
  const tokens = `${formatCompact(token_usage.total)} tokens`
  return (
    <li className="hover:bg-hover focus-within:bg-hover relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 border-b px-4 py-1.5 text-sm md:grid-cols-[4rem_minmax(0,1fr)_minmax(0,2fr)_6rem_6rem_6rem_7rem]">
      <span className="max-md:order-2 max-md:text-right">
        <Badge tone={status === 'error' ? 'fail' : 'ok'}>{status === 'error' ? 'failed' : 'ok'}</Badge>
      </span>
      <Link
        to="/app/traces/$traceId"
        params={{ traceId: id }}
        className="min-w-0 truncate font-medium after:absolute after:inset-0"
        title={name.slice(0, 500)}
      >
        <bdi>{name.slice(0, 300)}</bdi>
      </Link>
      <bdi className="text-muted truncate max-md:hidden" title={input ?? undefined}>
        {input}
      </bdi>
      <span className="text-right tabular-nums max-md:hidden">{duration ?? '–'}</span>
      <span className="text-muted text-right tabular-nums max-md:hidden">{tokens}</span>
      <span className="text-muted text-right tabular-nums max-md:hidden">{cost ?? '–'}</span>
      <span className="text-muted text-right whitespace-nowrap tabular-nums max-md:order-3 max-md:col-span-2 max-md:text-left">
        <Time at={created_at} className="relative z-1" />
        <span className="md:hidden">
          {duration !== null && ` · ${duration}`} · {tokens}
          {cost !== null && ` · ${cost}`}
        </span>
      </span>
    </li>
  )
}
