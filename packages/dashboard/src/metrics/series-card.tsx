import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { seriesQuery } from '../api/series.ts'
import { formatCount } from '../lib/format-number.ts'
import { useSeen } from '../lib/hooks/use-reach-end.ts'
import { type GroupTotal, sumOf } from '../lib/series-data.ts'
import { type TimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { type Measure, measureOf, measureOfMetric } from '../explore/measures.ts'
import { Badge } from '../ui/badge.tsx'
import { lastIndexWithValue } from '../ui/charts/chart-model.ts'
import { Sparkline } from '../ui/charts/sparkline.tsx'
import { MoreMenu } from '../ui/more-menu.tsx'
import { Skeleton } from '../ui/states.tsx'
import { wholeLine } from './lines.ts'
import { statisticOf, toSeriesRequest } from './use-series-models.ts'

export const CARD_GRID = 'grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3 2xl:grid-cols-4 min-[137rem]:grid-cols-6'

const NO_FILTERS = { filters: {}, metadata: [] }

export function TraceCard({ measure: id, stat, range }: { measure: string; stat: string; range: TimeRange }) {
  const measure = measureOf(id)
  const { label } = measure
  const statistic = statisticOf(measure, { stat })
  const title = statistic.kind === 'lines' && id !== 'error_rate' ? `${label}, ${statistic.label.toLowerCase()}` : label
  return (
    <Card measure={measure} stat={stat} range={range}>
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

interface MetricCardProps {
  readonly metric: Metric
  readonly range: TimeRange
  /** Undefined if the session may not change metrics. */
  readonly onEdit: ((metric: Metric) => void) | undefined
  onMonitor(name: string): void
}

export function MetricCard({ metric, range, onEdit, onMonitor }: MetricCardProps) {
  const { name, kind, description } = metric
  const measure = measureOfMetric(metric)
  return (
    <Card
      measure={measure}
      range={range}
      labelOf={(value) => metric.options?.find((each) => each.value === value)?.label}
    >
      <Link
        to="/app/traces"
        search={{ ...toTimeRangeSearch(range), as: 'chart', measure: measure.id }}
        className="min-w-0 truncate font-medium after:absolute after:inset-0"
        title={description === null ? name : `${name}\n${description}`}
      >
        <bdi>{name}</bdi>
      </Link>
      <span className="shrink-0">
        <Badge>{kind}</Badge>
      </span>
      {onEdit !== undefined && (
        <span className="relative z-1 ml-auto">
          <MoreMenu
            label={`More about ${name}`}
            actions={[
              { label: 'Edit…', run: () => onEdit(metric) },
              { label: 'New monitor…', run: () => onMonitor(name) },
            ]}
          />
        </span>
      )}
    </Card>
  )
}

interface CardProps {
  readonly measure: Measure
  readonly stat?: string
  readonly range: TimeRange
  /** The label of a group. */
  labelOf?(value: string | null): string | null | undefined
  /** The first line: a link that covers the card. */
  readonly children: ReactNode
}

/** A small view of a series: its value and rows in the whole range, its latest bucket and a sparkline. */
function Card({ measure, stat, range, labelOf, children }: CardProps) {
  const [ref, seen] = useSeen()
  const search = stat === undefined ? {} : { stat }
  const series = toSeriesRequest({ measure, of: NO_FILTERS, search, range }, false)
  const { data, error } = useQuery({ ...seriesQuery({ ...series, buckets: 60 }), enabled: seen })
  const statistic = statisticOf(measure, search)
  const line = data === undefined ? null : wholeLine(data, statistic)
  const index = data === undefined || line === null ? null : lastIndexWithValue({ times: data.times, lines: [line] })
  const latest = index === null ? null : (line?.values[index] ?? null)
  const totals = data?.groups.map(({ total }) => total) ?? []
  const count = sumOf(totals.map((total) => total.count))
  return (
    <li
      ref={ref}
      className="bg-raised hover:border-line-strong relative h-37 min-w-0 overflow-hidden rounded-lg border focus-within:border-accent"
    >
      <div className="flex min-h-8 items-center gap-2 px-3 pt-2">{children}</div>
      {line === null && error === null && <Skeleton className="mx-3 mt-2 h-24" />}
      {line === null && error !== null && <p className="text-fail px-3 pt-2 text-sm">{asApiError(error).message}</p>}
      {line !== null && (
        <>
          <p className="flex items-baseline gap-2 px-3">
            <span className="text-xl font-semibold tabular-nums">
              {(line.total ?? null) === null ? '–' : statistic.format(line.total ?? 0)}
            </span>
            {measure.groupBy !== undefined && <Largest group={totals[0]} labelOf={labelOf} />}
            <span className="text-muted ml-auto text-xs whitespace-nowrap tabular-nums">
              {formatCount(count)} {measure.rows}
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

/** The name of the group that the card shows. */
function Largest({ group, labelOf }: { group: GroupTotal | undefined; labelOf: CardProps['labelOf'] }) {
  if (group === undefined) return null
  return <bdi className="truncate text-sm">{labelOf?.(group.group) ?? group.group}</bdi>
}
