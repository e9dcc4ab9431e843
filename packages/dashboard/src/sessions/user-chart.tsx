import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { seriesQuery, type TraceMeasure } from '../api/series.ts'
import type { TimeRange } from '../lib/time-range.ts'
import { toModel, wholeLine } from '../metrics/lines.ts'
import { traceStatistics } from '../metrics/statistics.ts'
import { SeriesChart } from '../ui/charts/series-chart.tsx'
import { Loading, Skeleton } from '../ui/states.tsx'

interface UserChartProps {
  readonly userId: string
  readonly measure: TraceMeasure
  /** Of the statistics of the measure. */
  readonly stat: string
  readonly title: string
  readonly range: TimeRange
}

const HEIGHT = 160

/** A measure of the traces of one user over time. */
export function UserChart({ userId, measure, stat, title, range }: UserChartProps) {
  const statistics = traceStatistics(measure)
  const statistic = statistics.find(({ id }) => id === stat) ?? statistics[0]
  const subject = { kind: 'traces', measure, userId } as const
  const query = useQuery(seriesQuery({ subject, range, bucket: null }))
  const { data } = query
  const model = useMemo(
    () => (data === undefined ? null : toModel(data, statistic, [wholeLine(data, statistic)])),
    [data, statistic],
  )
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="mb-1 text-sm font-semibold">{title}</h2>
      <Loading query={query} placeholder={<Skeleton className="h-40" />} />
      {model !== null && <SeriesChart label={title} model={model} height={HEIGHT} />}
    </section>
  )
}
