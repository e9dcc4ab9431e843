import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { asApiError } from '../api/client/api-error.ts'
import { automaticBucket, rangeQuery, seriesQuery } from '../api/series.ts'
import { formatCompact } from '../lib/format-number.ts'
import { bucketMsOf, volumeOf } from '../lib/series-data.ts'
import { toSeriesRange } from '../lib/series-range.ts'
import type { ChartModel } from '../ui/charts/chart-model.ts'
import { SeriesChart } from '../ui/charts/series-chart.tsx'
import { ErrorState, Skeleton } from '../ui/states.tsx'
import { GroupChooser } from './group-chooser.tsx'
import { groupKey, groupLines, groupOfLine, optionLines, shownGroups, toModel, wholeLine } from './lines.ts'
import { PointEvents } from './point/point-events.tsx'
import { PointTraces } from './point/point-traces.tsx'
import type { MetricSearch } from './search.ts'
import { SeriesToolbar } from './series-toolbar.tsx'
import { isOfWholeRange, metricStatistics, traceStatistics, weightOf } from './statistics.ts'
import type { ChangeSearch, ViewedSeries } from './viewed-series.ts'

interface SeriesViewProps {
  readonly viewed: ViewedSeries
  readonly search: MetricSearch
  readonly onSearch: ChangeSearch
}

const CHART_HEIGHT = 300
const VOLUME_HEIGHT = 96

export function SeriesView({ viewed, search, onSearch }: SeriesViewProps) {
  const metric = viewed.kind === 'metric' ? viewed.metric : null
  const { group_by: groupBy, at, show } = search
  const range = toSeriesRange(search)
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
  const zoom = (from: number, to: number) =>
    onSearch(
      {
        range: undefined,
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        bucket: undefined,
        at: undefined,
        group: undefined,
      },
      false,
    )
  const choose = (index: number, key: string | null) => {
    const time = data?.times[index]
    if (time === undefined) return
    const group = groupBy === undefined ? undefined : groupOfLine(key)
    onSearch({ at: new Date(time).toISOString(), group, value: undefined }, true)
  }
  const bucketMs = data?.bucketMs ?? bucketMsOf(search.bucket ?? automaticBucket(range))
  const isCount = statistic.kind === 'bars' && viewed.kind === 'traces' && viewed.measure === 'count'
  return (
    <div className="flex flex-1 flex-col">
      <SeriesToolbar
        viewed={viewed}
        statistics={statistics}
        statistic={statistic}
        option={option}
        range={range}
        search={search}
        onSearch={onSearch}
      />
      <div className="border-b px-4 py-3">
        {models === null && series.error !== null && <ErrorState error={series.error} onRetry={series.refetch} />}
        {models === null && series.error === null && <Skeleton className="h-[26rem]" />}
        {series.error !== null && models !== null && (
          <p role="alert" className="text-fail mb-2 text-sm">
            {asApiError(series.error).message}
          </p>
        )}
        {models !== null && data !== undefined && (
          <div className={series.isPlaceholderData ? 'opacity-60' : ''}>
            <SeriesChart
              label={statistic.label}
              model={models.main}
              height={CHART_HEIGHT}
              onZoom={zoom}
              onChoose={choose}
            >
              {groupBy !== undefined && data.groups.length > 1 && (
                <GroupChooser
                  groups={data.groups}
                  leftOut={data.groups_left_out}
                  shown={shown}
                  onChange={(keys) => onSearch({ show: keys }, true)}
                />
              )}
            </SeriesChart>
            {!isCount && (
              <div className="mt-2">
                <SeriesChart
                  label={metric === null ? 'Traces' : 'Events'}
                  model={models.volume}
                  height={VOLUME_HEIGHT}
                  onZoom={zoom}
                  onChoose={choose}
                  plain
                />
              </div>
            )}
            {data.unpriced.length > 0 && (
              <p className="text-warn mt-2 text-sm break-words">
                No price set, excluded from cost: {data.unpriced.slice(0, 20).join(', ')}
                {data.unpriced.length > 20 && ` and ${data.unpriced.length - 20} more`}. Set prices in the settings.
              </p>
            )}
          </div>
        )}
      </div>
      {viewed.kind === 'metric' ? (
        <PointEvents metric={viewed.metric} search={search} range={range} bucketMs={bucketMs} onSearch={onSearch} />
      ) : (
        <PointTraces measure={viewed.measure} search={search} range={range} bucketMs={bucketMs} onSearch={onSearch} />
      )}
    </div>
  )
}
