import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { rangeQuery, seriesQuery } from '../api/series.ts'
import { formatCompact } from '../lib/format-number.ts'
import { volumeOf } from '../lib/series-data.ts'
import type { TimeRange } from '../lib/time-range.ts'
import type { ChartModel } from '../ui/charts/chart-model.ts'
import { groupKey, groupLines, optionLines, shownGroups, toModel, wholeLine } from './lines.ts'
import type { MetricSearch, ViewedSeries } from './search.ts'
import { isOfWholeRange, metricStatistics, traceStatistics, weightOf } from './statistics.ts'

/** The series that the address names, and what its charts draw; `models` is null until it is loaded. */
export function useSeriesModels(viewed: ViewedSeries, search: MetricSearch, range: TimeRange) {
  const metric = viewed.kind === 'metric' ? viewed.metric : null
  const { group_by: groupBy, at, show } = search
  const option =
    metric?.options?.find(({ value }) => value === search.option)?.value ?? metric?.options?.[0]?.value ?? ''
  const statistics =
    viewed.kind === 'metric' ? metricStatistics(viewed.metric, option) : traceStatistics(viewed.measure)
  const statistic = statistics.find(({ id }) => id === search.stat) ?? statistics[0]
  const subject =
    viewed.kind === 'metric'
      ? ({ kind: 'metric', name: viewed.metric.name } as const)
      : ({ kind: 'traces', measure: viewed.measure } as const)
  const seriesRequest = {
    subject,
    range,
    bucket: search.bucket ?? null,
    groupBy,
    source: metric === null ? undefined : search.source,
  }
  const series = useQuery(seriesQuery(seriesRequest, viewed.kind === 'traces' ? weightOf(viewed.measure) : undefined))
  const { data: whole } = useQuery({ ...rangeQuery(seriesRequest), enabled: isOfWholeRange(statistic) })
  const { data } = series
  const shown = useMemo(() => (data === undefined ? [] : shownGroups(data, show)), [data, show])
  const { id: statisticId } = statistic
  const models = useMemo(() => {
    if (data === undefined) return null
    const totals = whole === undefined ? null : new Map(whole.map((point) => [groupKey(point.group), point]))
    const isByOption = metric !== null && metric.kind === 'enum' && groupBy === undefined
    const lines = isByOption
      ? optionLines(data, metric, statistic.scale === 'share')
      : groupBy === undefined
        ? [wholeLine(data, statistic, totals)]
        : groupLines(data, statistic, shown, { totals, leftOut: data.groups_left_out })
    const rows = metric === null ? 'Traces' : 'Events'
    const volume: ChartModel = {
      times: data.times,
      bucketMs: data.bucketMs,
      kind: 'bars',
      scale: 'zero',
      whole: true,
      lines: [{ key: 'all', label: rows, color: '--color-step-chain', values: volumeOf(data) }],
      format: formatCompact,
    }
    const found = at === undefined ? -1 : data.times.indexOf(Date.parse(at))
    const chosen = found === -1 ? null : found
    return { main: { ...toModel(data, statistic, lines, isByOption), chosen }, volume: { ...volume, chosen } }
  }, [data, whole, metric, groupBy, shown, statisticId, option, at])
  return { series, statistics, statistic, option, shown, models }
}
