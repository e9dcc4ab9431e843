import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { rangeQuery, seriesQuery, type SeriesSubject } from '../api/series.ts'
import { formatCount } from '../lib/format-number.ts'
import { rowsOf } from '../lib/series-data.ts'
import { type TimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { useSeen } from '../lib/hooks/use-reach-end.ts'
import { Badge } from '../ui/badge.tsx'
import { lastIndexWithValue } from '../ui/charts/chart-model.ts'
import { Sparkline } from '../ui/charts/sparkline.tsx'
import { Skeleton } from '../ui/states.tsx'
import { totalsOf, wholeLine } from './lines.ts'
import { measureOf } from '../explore/measures.ts'
import { isOfWholeRange, metricStatistics, type Statistic } from './statistics.ts'

export const CARD_GRID = 'grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3 2xl:grid-cols-4 min-[137rem]:grid-cols-6'

const NO_FILTERS = { filters: {}, metadata: [] }

export function TraceCard({ measure: id, stat, range }: { measure: string; stat: string; range: TimeRange }) {
  const measure = measureOf(id)
  const { label, statistics } = measure
  const statistic = statistics.find((each) => each.id === stat) ?? statistics[0]
  const title = statistic.kind === 'lines' && id !== 'error_rate' ? `${label}, ${statistic.label.toLowerCase()}` : label
  return (
    <Card subject={measure.subject(NO_FILTERS)} range={range} statisticOf={() => statistic} rows="traces">
      <Link
        to="/app/traces"
        search={{ ...toTimeRangeSearch(range), as: 'chart', measure: id, stat }}
        className="truncate font-medium after:absolute after:inset-0"
      >
        {title}
      </Link>
    </Card>
  )
}

export function MetricCard({ metric, range }: { metric: Metric; range: TimeRange }) {
  const { name, kind, description } = metric
  return (
    <Card
      subject={{ kind: 'metric', name }}
      range={range}
      rows="events"
      statisticOf={(option) => metricStatistics(metric, option)[0]}
      {...(metric.options === null ? {} : { options: metric.options })}
    >
      <Link
        to="/app/metrics/$name"
        params={{ name }}
        search={toTimeRangeSearch(range)}
        className="min-w-0 truncate font-medium after:absolute after:inset-0"
        title={description === null ? name : `${name}\n${description}`}
      >
        <bdi>{name}</bdi>
      </Link>
      <span className="shrink-0">
        <Badge>{kind}</Badge>
      </span>
    </Card>
  )
}

interface CardProps {
  readonly subject: SeriesSubject
  readonly range: TimeRange
  readonly rows: 'traces' | 'events'
  /** For enum metrics: the statistic of the shown option. */
  statisticOf(option: string): Statistic
  readonly options?: NonNullable<Metric['options']>
  /** The first line: a link that covers the card. */
  readonly children: ReactNode
}

/** A small view of a series: its value and rows in the whole range, its latest bucket and a sparkline. */
function Card({ subject, range, rows, statisticOf, options, children }: CardProps) {
  const [ref, seen] = useSeen()
  const seriesRequest = { subject, range, bucket: null, buckets: 60 }
  const { data, error } = useQuery({ ...seriesQuery(seriesRequest), enabled: seen })
  const points = (data?.groups[0]?.points ?? []).filter((point) => point !== null)
  const option = commonest(points, options)
  const statistic = statisticOf(option?.value ?? '')
  const needsRange = isOfWholeRange(statistic)
  const { data: whole } = useQuery({ ...rangeQuery(seriesRequest), enabled: seen && needsRange })
  const totals = totalsOf(whole)
  const line = data === undefined ? null : wholeLine(data, statistic, totals)
  const index = data === undefined || line === null ? null : lastIndexWithValue({ times: data.times, lines: [line] })
  const value = line?.total ?? null
  const latest = index === null ? null : (line?.values[index] ?? null)
  const count = rowsOf(data?.groups[0]?.points ?? [])
  return (
    <li
      ref={ref}
      className="bg-raised hover:border-line-strong relative h-37 min-w-0 overflow-hidden rounded-lg border focus-within:border-accent"
    >
      <div className="flex items-center justify-between gap-2 px-3 pt-2.5">{children}</div>
      {line === null && error === null && <Skeleton className="mx-3 mt-2 h-24" />}
      {line === null && error !== null && <p className="text-fail px-3 pt-2 text-sm">{asApiError(error).message}</p>}
      {line !== null && (
        <>
          <p className="flex items-baseline gap-2 px-3">
            <span className="text-xl font-semibold tabular-nums">{value === null ? '–' : statistic.format(value)}</span>
            {option !== undefined && <bdi className="truncate text-sm">{option.label ?? option.value}</bdi>}
            <span className="text-muted ml-auto text-xs whitespace-nowrap tabular-nums">
              {formatCount(count)} {rows}
            </span>
          </p>
          {count > 0 && (
            <p className="text-muted flex justify-between gap-2 px-3 text-xs whitespace-nowrap tabular-nums">
              <span>Whole range</span>
              {latest !== null && <span className="truncate">Latest bucket {statistic.format(latest)}</span>}
            </p>
          )}
          {count === 0 ? (
            <p className="text-muted px-3 pt-4 text-sm">No data in this range</p>
          ) : (
            <Sparkline
              values={line.values}
              kind={statistic.kind}
              format={statistic.formatOnAxis ?? statistic.format}
              className="absolute inset-x-3 bottom-2.5 h-12"
            />
          )}
        </>
      )}
    </li>
  )
}

function commonest(points: readonly { counts?: Readonly<Record<string, number>> }[], options: CardProps['options']) {
  if (options === undefined) return undefined
  const totalOf = (value: string) => points.reduce((sum, { counts }) => sum + (counts?.[value] ?? 0), 0)
  return options.toSorted((a, b) => totalOf(b.value) - totalOf(a.value))[0]
}
