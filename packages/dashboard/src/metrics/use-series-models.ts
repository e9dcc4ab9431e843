import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { seriesQuery, type SeriesRequest } from '../api/series.ts'
import type { Filters } from '../api/client/feed.ts'
import type { ChartSearch } from '../lib/chart-search.ts'
import { volumeOf } from '../lib/series-data.ts'
import type { TimeRange } from '../lib/time-range.ts'
import type { Measure } from '../explore/measures.ts'
import type { ChartModel } from '../ui/charts/chart-model.ts'
import { groupLines, shownGroups, toModel, wholeLines } from './lines.ts'
import type { Statistic } from './statistics.ts'
import { useGroupLabel } from '../lib/hooks/use-group-label.ts'

/** A chart: the measured rows, and how they are shown. */
export interface ViewedSeries {
  readonly measure: Measure
  readonly of: Filters
  readonly search: ChartSearch
  readonly range: TimeRange
  readonly limit?: number | undefined
}

export function statisticOf({ statistics }: Measure, { stat }: ChartSearch): Statistic {
  return statistics.find(({ id }) => id === stat) ?? statistics.find((each) => each.stat === stat) ?? statistics[0]
}

/** The fields of the groups: none, one or two. */
export function groupedBy({ groupBy }: Measure, { group_by, then_by }: ChartSearch): readonly string[] {
  const fields = groupBy === undefined ? [group_by, then_by] : [groupBy, group_by]
  return [...new Set(fields)].filter((field) => field !== undefined)
}

export function toSeriesRequest({ measure, of, search, range, limit }: ViewedSeries, compares = true): SeriesRequest {
  const { bucket = null, rank } = search
  return {
    subject: measure.subject(of, statisticOf(measure, search)),
    range,
    bucket,
    groupBy: groupedBy(measure, search),
    order: rank,
    limit,
    compares,
  }
}

/** The series that the address names, and what its chart draws; `model` is null until it is loaded. */
export function useSeriesModels(viewed: ViewedSeries, compares = true) {
  const { measure, search } = viewed
  const { at, show, draw, log, before = false } = search
  const statistic = statisticOf(measure, search)
  const series = useQuery(seriesQuery(toSeriesRequest(viewed, compares)))
  const { data } = series
  const shown = useMemo(() => (data === undefined ? [] : shownGroups(data, show)), [data, show])
  const fields = groupedBy(measure, search)
  const isGrouped = fields.length > 0
  const labelOf = useGroupLabel(fields)
  const { rows, id: measureId } = measure
  const model = useMemo((): ChartModel | null => {
    if (data === undefined) return null
    const { leftOut } = data
    const lines = isGrouped
      ? groupLines(data, statistic, shown, { leftOut, before, labelOf })
      : wholeLines(data, statistic, before)
    const drawn = {
      draw: draw === 'groups' ? undefined : draw,
      log: log === true,
      ...(statistic.stat === 'count' ? {} : { volume: { values: volumeOf(data), rows } }),
    }
    const found = at === undefined ? -1 : data.times.indexOf(Date.parse(at))
    return { ...toModel(data, statistic, lines, drawn), chosen: found === -1 ? null : found }
  }, [data, isGrouped, labelOf, shown, measureId, statistic.id, before, at, draw, log, rows])
  return { series, statistic, shown, isGrouped, labelOf, model }
}
