import { automaticBucket } from '../api/series.ts'
import { bucketMsOf } from '../lib/series-data.ts'
import { searchBetween, toSeriesRange } from '../lib/time-range.ts'
import { SeriesChart } from '../ui/charts/series-chart.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { Loading, Skeleton } from '../ui/states.tsx'
import { GroupChooser } from './group-chooser.tsx'
import { groupOfLine } from './lines.ts'
import { PointEvents } from './point/point-events.tsx'
import { PointTraces } from './point/point-traces.tsx'
import type { MetricSearch, ChangeSearch, ViewedSeries } from './search.ts'
import { SeriesToolbar } from './series-toolbar.tsx'
import { useSeriesModels } from './use-series-models.ts'

interface SeriesViewProps {
  readonly viewed: ViewedSeries
  readonly search: MetricSearch
  readonly onSearch: ChangeSearch
}

const CHART_HEIGHT = 300
const VOLUME_HEIGHT = 96

export function SeriesView({ viewed, search, onSearch }: SeriesViewProps) {
  const { group_by: groupBy } = search
  const range = toSeriesRange(search)
  const { series, statistics, statistic, option, shown, models } = useSeriesModels(viewed, search, range)
  const { data } = series
  const zoom = (from: number, to: number) =>
    onSearch(
      { ...searchBetween(from, to), range: undefined, bucket: undefined, at: undefined, group: undefined },
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
      <SeriesToolbar {...{ viewed, statistics, statistic, option, range, search, onSearch }} />
      <div className="border-b px-4 py-3">
        <Loading query={series} placeholder={<Skeleton className="h-[26rem]" />} />
        {models !== null && <ErrorText error={series.error} className="mb-2" />}
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
                  label={viewed.kind === 'metric' ? 'Events' : 'Traces'}
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
        <PointEvents {...{ search, range, bucketMs, onSearch }} metric={viewed.metric} />
      ) : (
        <PointTraces {...{ search, range, bucketMs, onSearch }} measure={viewed.measure} />
      )}
    </div>
  )
}
