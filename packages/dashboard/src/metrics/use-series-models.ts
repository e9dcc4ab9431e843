import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { rangeQuery, seriesQuery } from '../api/series.ts'
import type { ChartSearch } from '../lib/chart-search.ts'
import { volumeOf } from '../lib/series-data.ts'
import type { TimeRange } from '../lib/time-range.ts'
import type { ChartModel } from '../ui/charts/chart-model.ts'
import { groupLines, optionLines, shownGroups, toModel, totalsOf, wholeLine } from './lines.ts'
import type { ViewedSeries } from './search.ts'
import { metricStatistics } from './statistics.ts'

/** The series that the address names, and what its chart draws; `model` is null until it is loaded. */
export function useSeriesModels(viewed: ViewedSeries, search: ChartSearch, range: TimeRange) {
  const metric = viewed.kind === 'metric' ? viewed.metric : null
  const { group_by: groupBy, at, show, draw, log } = search
  const option =
    metric?.options?.find(({ value }) => value === search.option)?.value ?? metric?.options?.[0]?.value ?? ''
  const statistics = viewed.kind === 'metric' ? metricStatistics(viewed.metric, option) : viewed.measure.statistics
  const statistic = statistics.find(({ id }) => id === search.stat) ?? statistics[0]
  const subject =
    viewed.kind === 'metric'
      ? ({ kind: 'metric', name: viewed.metric.name } as const)
      : viewed.measure.subject(viewed.of)
  const source = viewed.kind === 'metric' ? viewed.source : undefined
  const seriesRequest = { subject, range, bucket: search.bucket ?? null, groupBy, source }
  const series = useQuery(seriesQuery(seriesRequest, viewed.kind === 'rows' ? viewed.measure.weightOf : undefined))
  const { data: whole } = useQuery(rangeQuery(seriesRequest))
  const { data: before } = useQuery(rangeQuery(seriesRequest, true))
  const { data } = series
  const shown = useMemo(() => (data === undefined ? [] : shownGroups(data, show)), [data, show])
  const rows = viewed.kind === 'metric' ? 'events' : viewed.measure.rows
  const isByOption = metric !== null && metric.kind === 'enum' && groupBy === undefined
  const { id: statisticId } = statistic
  const model = useMemo((): ChartModel | null => {
    if (data === undefined) return null
    const totals = totalsOf(whole)
    const lines = isByOption
      ? optionLines(data, metric, statistic.scale === 'share')
      : groupBy === undefined
        ? [wholeLine(data, statistic, totals)]
        : groupLines(data, statistic, shown, { totals, leftOut: data.groups_left_out })
    const isCount = statisticId === 'count'
    const drawn = {
      parts: isByOption,
      draw,
      log: log === true,
      ...(isCount ? {} : { volume: { values: volumeOf(data), rows } }),
    }
    const found = at === undefined ? -1 : data.times.indexOf(Date.parse(at))
    return { ...toModel(data, statistic, lines, drawn), chosen: found === -1 ? null : found }
  }, [data, whole, metric, groupBy, shown, statisticId, option, at, draw, log, rows, isByOption])
  return { series, statistics, statistic, option, shown, rows, isByOption, model, whole, before }
}
