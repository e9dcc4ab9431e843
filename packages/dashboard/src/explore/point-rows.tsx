import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { listQuery } from '../api/summaries.ts'
import { formatCompact, formatCostShort } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import { type ChartSearch, NOTHING_CHOSEN } from '../lib/chart-search.ts'
import { changed } from '../lib/search.ts'
import { valuesOfKey } from '../lib/series-data.ts'
import { NO_RANGE, type TimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { withoutMarkdown } from '../lib/without-markdown.ts'
import { IconButton } from '../ui/button.tsx'
import { formatBucket } from '../ui/charts/chart-model.ts'
import { filtersOfGroups } from './groups.ts'
import type { Measure } from './measures.ts'
import { bucketTimes } from './point-bounds.ts'
import type { ChangeChart } from '../metrics/search.ts'
import { useGroupLabel } from '../lib/hooks/use-group-label.ts'
import { groupedBy } from '../metrics/use-series-models.ts'
import { withFilter } from '../traces/filters/feed-filters.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { toFeedRequest } from '../traces/list/feed-request.ts'
import { Badge } from '../ui/badge.tsx'
import { More } from '../ui/more.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { StepsTable } from './steps-table.tsx'

interface PointRowsProps {
  readonly measure: Measure
  readonly search: FeedSearch
  readonly range: TimeRange
  readonly bucketMs: number
  readonly onSearch: ChangeChart
}

const ORDERS = {
  duration_ms: ', longest first',
  total_tokens: ', most tokens first',
  cost_usd: ', dearest first',
  step_count: '',
  started_at: '',
} as const

/** The traces or steps behind the chosen bucket and group, or behind the whole chart: the worst first. */
export function PointRows({ measure, search, range, bucketMs, onSearch }: PointRowsProps) {
  const { at, group } = search
  const { rows, worst } = measure
  const fields = groupedBy(measure, search)
  const labelOf = useGroupLabel(fields)
  const filters = group === undefined ? [] : filtersOfGroups(rows, fields, valuesOfKey(group))
  const { finding = worst.finding, recovered_errors = worst.recovered_errors } = search
  const worstFirst = changed<FeedSearch>(search, {
    ...worst,
    finding,
    recovered_errors,
    ...(worst.sort === undefined ? { sort: undefined } : {}),
    order: undefined,
    as: rows === 'steps' ? 'steps' : undefined,
    ...NO_RANGE,
    ...(at === undefined ? toTimeRangeSearch(range) : bucketTimes(at, range, bucketMs)),
    ...NOTHING_CHOSEN,
  })
  const listed = (filters ?? []).reduce(withFilter, worstFirst)
  const title = `${titleOf(listed, rows)}${worst.sort === undefined ? '' : ORDERS[worst.sort]}`
  return (
    <section aria-labelledby="listed" className="flex flex-1 flex-col">
      <PointHeading {...{ search, bucketMs, onSearch, rows, labelOf }} title={title} isFiltered={filters !== null}>
        <Link to="/app/traces" search={listed} className="text-accent text-sm hover:underline">
          Open as a list
        </Link>
      </PointHeading>
      <ListedRows search={listed} title={title} />
    </section>
  )
}

/** "Failed traces", "Traces that did not pass", "Steps". */
function titleOf({ status, step_status, passed }: FeedSearch, rows: Measure['rows']): string {
  if (status === 'error' || step_status === 'error') return `Failed ${rows}`
  const all = rows === 'steps' ? 'Steps' : 'Traces'
  return passed === undefined ? all : `${all} that ${passed ? 'passed' : 'did not pass'}`
}

interface ListedProps {
  readonly search: FeedSearch
  readonly title: string
}

/** While the range ends now, as often as series (api/series.ts). */
const refetching = ({ to }: FeedSearch) => ({ refetchInterval: to === undefined ? 30_000 : (false as const) })

/** The traces or steps of a search, in its order. */
export function ListedRows({ search, title }: ListedProps) {
  return search.as === 'steps' ? <Steps search={search} title={title} /> : <Traces search={search} title={title} />
}

function Steps({ search, title }: ListedProps) {
  const query = useInfiniteQuery({ ...listQuery('steps', toFeedRequest(search)), ...refetching(search) })
  const steps = query.data?.pages.flatMap((page) => page.steps)
  return (
    <>
      <Loading query={query} rows={6} />
      {steps?.length === 0 && <None title={title} />}
      {steps !== undefined && steps.length > 0 && (
        <>
          <StepsTable steps={steps} search={search} />
          <More query={query} end="End of list" />
        </>
      )}
    </>
  )
}

function Traces({ search, title }: ListedProps) {
  const query = useInfiniteQuery({ ...listQuery('traces', toFeedRequest(search)), ...refetching(search) })
  const traces = query.data?.pages.flatMap((page) => page.traces)
  return (
    <>
      <Loading query={query} rows={6} />
      {traces?.length === 0 && <None title={title} />}
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
    </>
  )
}

function None({ title }: { title: string }) {
  return (
    <EmptyState title={`No ${title.toLowerCase()}`}>
      Nothing in this range matches. Choose a longer range, or remove a filter.
    </EmptyState>
  )
}

function TraceRowItem({ trace }: { trace: TraceRow }) {
  const { id, name, status, duration_ms, token_usage, cost_usd, created_at, input_preview: input } = trace
  const failed = status === 'error'
  const duration = duration_ms === null ? null : formatDuration(duration_ms)
  const cost = cost_usd === null ? null : formatCostShort(cost_usd)
  const tokens = `${formatCompact(token_usage.total)} tokens`
  // Of a failed run, the output is its error.
  const said = failed ? trace.output_preview : input === null ? null : withoutMarkdown(input)
  return (
    <li className="hover:bg-hover focus-within:bg-hover relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 border-b px-4 py-1.5 text-sm md:grid-cols-[4rem_minmax(0,1fr)_minmax(0,2fr)_6rem_6rem_6rem_7rem]">
      <span className="max-md:order-2 max-md:text-right">
        <Badge tone={failed ? 'fail' : 'ok'}>{failed ? 'failed' : 'ok'}</Badge>
      </span>
      <Link
        to="/app/traces/$traceId"
        params={{ traceId: id }}
        className="min-w-0 truncate font-medium after:absolute after:inset-0"
        title={name.slice(0, 500)}
      >
        <bdi>{name.slice(0, 300)}</bdi>
      </Link>
      <bdi className={`truncate max-md:hidden ${failed ? 'text-fail' : 'text-muted'}`} title={said ?? undefined}>
        {said}
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

interface PointHeadingProps extends Pick<PointRowsProps, 'bucketMs' | 'onSearch'> {
  readonly title: string
  readonly search: ChartSearch
  readonly rows: 'traces' | 'steps'
  /** Whether they can be filtered by the chosen group. */
  readonly isFiltered: boolean
  labelOf(key: string): string
  /** At the end. */
  readonly children?: ReactNode
}

/** The heading of the list below a chart: the chosen bucket, or the whole range. */
function PointHeading({ title, search, bucketMs, onSearch, ...of }: PointHeadingProps) {
  const { rows, isFiltered, labelOf, children } = of
  const { at, group } = search
  return (
    <>
      <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2">
        <h2 className="font-semibold" id="listed">
          {title}
        </h2>
        {at === undefined ? (
          <p className="text-muted text-sm">Whole range. Click a bucket to filter.</p>
        ) : (
          <span className="bg-selected inline-flex items-center gap-1 rounded-md py-0.5 pr-0.5 pl-2 text-sm tabular-nums">
            {formatBucket(Date.parse(at), bucketMs)}
            <IconButton
              icon={X}
              label="Show the whole range"
              className="[&>svg]:size-3.5 h-6! w-6!"
              onClick={() => onSearch({ at: undefined, group: undefined }, true)}
            />
          </span>
        )}
        <div className="ml-auto flex flex-wrap items-center gap-2">{children}</div>
      </div>
      {group !== undefined && (
        <p className="text-muted flex items-center gap-2 px-4 pb-2 text-sm">
          {isFiltered ? 'Group: ' : `All groups: ${rows} cannot be filtered by `}
          <bdi>{labelOf(group)}</bdi>
          {!isFiltered && '.'}
        </p>
      )}
    </>
  )
}
