import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { automaticBucket } from '../api/series.ts'
import { NOTHING_CHOSEN } from '../lib/chart-search.ts'
import { OfScreen } from '../lib/hooks/use-shortcuts.ts'
import { saveFile, toCsv } from '../lib/save-file.ts'
import { bucketMsOf } from '../lib/series-data.ts'
import { searchBetween } from '../lib/time-range.ts'
import { IconButton } from '../ui/button.tsx'
import type { ChartModel } from '../ui/charts/chart-model.ts'
import { SeriesChart } from '../ui/charts/series-chart.tsx'
import { ErrorText } from '../ui/error-text.tsx'
import { Loading, Skeleton } from '../ui/states.tsx'
import { GroupTable } from './group-table.tsx'
import { groupOfLine } from './lines.ts'
import type { ChangeChart } from './search.ts'
import { SeriesToolbar } from './series-toolbar.tsx'
import { useSeriesModels, type ViewedSeries } from './use-series-models.ts'

interface SeriesViewProps {
  readonly viewed: ViewedSeries
  readonly onSearch: ChangeChart
  /** At the start of the toolbar. */
  readonly tools?: ReactNode
  /** The rows behind the chart. */
  below(bucketMs: number): ReactNode
}

const CHART_HEIGHT = 300

/** A series over time, the table of its groups beside it, and the rows of what is chosen in it. */
export function SeriesView({ viewed, onSearch, tools, below }: SeriesViewProps) {
  const { search, range, measure } = viewed
  const { series, shown, model, isGrouped, labelOf, statistic } = useSeriesModels(viewed)
  const { data } = series
  const hasChart = search.draw !== 'groups' || !isGrouped
  const zoom = (from: number, to: number) =>
    onSearch({ ...searchBetween(from, to), ...NOTHING_CHOSEN, range: undefined, bucket: undefined }, false)
  const choose = (index: number, key: string | null) => {
    const time = data?.times[index]
    if (time !== undefined) onSearch({ at: new Date(time).toISOString(), group: groupOfLine(key) }, true)
  }
  const isEmpty = isGrouped && data?.groups.length === 0
  const bucketMs = data?.bucketMs ?? bucketMsOf(search.bucket ?? automaticBucket(range))
  return (
    <div className="flex flex-1 flex-col">
      <SeriesToolbar {...{ viewed, statistic, onSearch, tools }} lines={model?.lines.length ?? 1} />
      <div className="border-b px-4 py-3">
        <Loading query={series} placeholder={<Skeleton className="h-[22rem]" />} />
        {model !== null && <ErrorText error={series.error} className="mb-2" />}
        {isEmpty && <p className="text-muted py-8 text-center text-sm">No data in this range</p>}
        {model !== null && data !== undefined && !isEmpty && (
          <div
            aria-busy={series.isPlaceholderData}
            className={`grid gap-4 aria-busy:opacity-60 ${isGrouped && hasChart ? 'xl:grid-cols-[minmax(0,2fr)_minmax(30rem,1fr)]' : ''}`}
          >
            {hasChart && (
              <SeriesChart label={statistic.label} model={model} height={CHART_HEIGHT} onZoom={zoom} onChoose={choose}>
                <OfScreen value>
                  <IconButton
                    icon={Download}
                    label="Export the chart as CSV"
                    onClick={() => saveFile('spoor-chart.csv', 'text/csv', toCsv(linesOf(model)))}
                  />
                </OfScreen>
              </SeriesChart>
            )}
            <GroupTable
              {...{ statistic, isGrouped, shown, labelOf }}
              rows={measure.rows}
              columns={data}
              leftOut={data.leftOut}
              chosen={search.group}
              onChoose={(group) => onSearch({ at: undefined, group }, true)}
              onShow={(keys) => onSearch({ show: keys }, true)}
            />
          </div>
        )}
        {data !== undefined && data.unpriced.length > 0 && (
          <p className="text-warn mt-2 text-sm break-words">
            No price set, excluded from cost: {data.unpriced.slice(0, 20).join(', ')}
            {data.unpriced.length > 20 && ` and ${data.unpriced.length - 20} more`}. Set prices in the settings.
          </p>
        )}
      </div>
      {below(bucketMs)}
    </div>
  )
}

/** The drawn values, a line for each bucket. */
function linesOf({ times, lines, volume }: ChartModel): readonly (readonly (string | number | null)[])[] {
  const columns = volume === undefined ? lines : [...lines, { label: volume.rows, values: volume.values }]
  const cellsAt = (index: number) => columns.map(({ values }) => values[index] ?? null)
  const bodies = times.map((time, index) => [new Date(time).toISOString(), ...cellsAt(index)])
  return [['at', ...columns.map(({ label }) => label)], ...bodies]
}
