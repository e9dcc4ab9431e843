import { useNavigate } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { groupsQuery } from '../api/series.ts'
import { type Measure, useMeasures } from '../explore/measures.ts'
import { groupKey } from '../lib/series-data.ts'
import type { TimeRange } from '../lib/time-range.ts'
import { groupOfLine } from '../metrics/lines.ts'
import { useGroupLabel } from '../lib/hooks/use-group-label.ts'
import {
  groupedBy,
  statisticOf,
  toSeriesRequest,
  useSeriesModels,
  type ViewedSeries,
} from '../metrics/use-series-models.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { seriesFilters } from '../traces/list/feed-request.ts'
import { SeriesChart } from '../ui/charts/series-chart.tsx'
import { Loading, Skeleton } from '../ui/states.tsx'

interface ChartTileProps {
  readonly name: string
  readonly search: FeedSearch
  readonly range: TimeRange
  /** Groups; undefined: as many as the service gives. */
  readonly limit: number | undefined
  onRange(range: TimeRange): void
}

/** The chart of a view. A click on a bucket or a group opens it with the rows behind it. */
export function ChartTile({ name, search, range, limit, onRange }: ChartTileProps): ReactNode {
  const navigate = useNavigate()
  const { measure } = useMeasures(search.measure)
  if (measure === null) return <Skeleton className="mx-3 h-40" />
  const viewed = { measure, of: seriesFilters(search), search, range, limit }
  const open = (chosen: Pick<FeedSearch, 'at' | 'group'>) =>
    void navigate({ to: '/app/traces', search: { ...search, ...chosen } })
  return search.draw === 'groups' ? (
    <TopGroups viewed={viewed} onOpen={(group) => open({ group })} />
  ) : (
    <Chart {...{ name, viewed, onRange }} onOpen={open} />
  )
}

interface ChartProps extends Pick<ChartTileProps, 'name' | 'onRange'> {
  readonly viewed: ViewedSeries & { readonly measure: Measure }
  onOpen(chosen: { readonly at?: string; readonly group?: string }): void
}

const HEIGHT = 200

function Chart({ name, viewed, onRange, onOpen }: ChartProps) {
  const { series, model } = useSeriesModels(viewed, viewed.search.before === true)
  const choose = (index: number, key: string | null) => {
    const time = model?.times[index]
    const group = groupOfLine(key)
    if (time !== undefined) onOpen({ at: new Date(time).toISOString(), ...(group === undefined ? {} : { group }) })
  }
  return (
    <div className="px-3 pb-1">
      <Loading query={series} placeholder={<Skeleton className="h-50" />} />
      {model !== null && (
        <SeriesChart
          label={name}
          model={model}
          height={HEIGHT}
          onZoom={(from, to) =>
            onRange({ kind: 'between', from: new Date(from).toISOString(), to: new Date(to).toISOString() })
          }
          onChoose={choose}
        />
      )}
    </div>
  )
}

/** The groups alone, with bars. */
function TopGroups({ viewed, onOpen }: { viewed: ViewedSeries; onOpen: (key: string) => void }) {
  const query = useQuery(groupsQuery(toSeriesRequest(viewed, false)))
  const labelOf = useGroupLabel(groupedBy(viewed.measure, viewed.search))
  const groups = query.data?.filter(({ other, value }) => other !== true && value !== null)
  const { format } = statisticOf(viewed.measure, viewed.search)
  const most = Math.max(...(groups ?? []).map(({ value }) => value ?? 0))
  return (
    <>
      <Loading query={query} placeholder={<Skeleton className="mx-3 h-50" />} />
      {groups?.length === 0 && <p className="text-muted px-3 text-sm">No data in this range</p>}
      <ol className="px-3 pb-2 text-sm">
        {groups?.map((group) => {
          const key = groupKey(group)
          const label = labelOf(key)
          return (
            <li key={key}>
              <button
                type="button"
                onClick={() => onOpen(key)}
                title={`${label}: list its rows`.slice(0, 1000)}
                className="hover:bg-hover grid min-h-7 w-full grid-cols-[minmax(0,1fr)_minmax(0,1fr)_5rem] items-center gap-2 rounded px-1 text-left"
              >
                <bdi className="truncate">{label}</bdi>
                <span
                  aria-hidden
                  className="bg-accent/70 h-2 rounded-xs"
                  style={{ width: `${(100 * (group.value ?? 0)) / (most || 1)}%` }}
                />
                <span className="text-right tabular-nums">{format(group.value ?? 0)}</span>
              </button>
            </li>
          )
        })}
      </ol>
    </>
  )
}
