import type { ReactNode } from 'react'
import { automaticBucket } from '../api/series.ts'
import type { ChartSearch } from '../lib/chart-search.ts'
import { bucketMsOf } from '../lib/series-data.ts'
import { boundsOf, type TimeRange } from '../lib/time-range.ts'
import { Field, Select } from '../ui/field.tsx'
import { GroupBySelect } from './group-by-select.tsx'
import { GROUP_FIELDS } from '../explore/groups.ts'
import type { ChangeChart, ViewedSeries } from './search.ts'
import type { Statistic } from './statistics.ts'

const BUCKETS = ['1m', '5m', '15m', '1h', '6h', '1d', '1w']
/** More are slow to draw and thinner than a pixel. */
const BUCKETS_MAX = 2000

interface SeriesToolbarProps {
  readonly viewed: ViewedSeries
  readonly statistics: readonly Statistic[]
  readonly statistic: Statistic
  readonly option: string
  /** The lines are options of a metric. */
  readonly isByOption: boolean
  /** The number of drawn lines. */
  readonly lines: number
  readonly range: TimeRange
  readonly search: ChartSearch
  readonly onSearch: ChangeChart
  readonly tools: ReactNode
}

export function SeriesToolbar({ viewed, statistics, statistic, option, lines, range, ...bar }: SeriesToolbarProps) {
  const { search, onSearch, tools, isByOption } = bar
  const usual = isByOption ? 'bars' : statistic.kind
  const { from, to } = boundsOf(range, Date.now())
  const spanMs = (to ?? Date.now()) - (from ?? 0)
  const buckets = search.bucket === undefined || BUCKETS.includes(search.bucket) ? BUCKETS : [search.bucket, ...BUCKETS]
  const isStacked = lines > 1
  return (
    <div className="bg-sunken flex flex-wrap items-end gap-x-4 gap-y-2 border-b px-4 py-2">
      {tools}
      {statistics.length > 1 && (
        <Field small label="Statistic">
          <Select
            value={statistic.id}
            onChoice={(stat) => onSearch({ stat }, true)}
            options={statistics.map(({ id, label }) => [id, label])}
          />
        </Field>
      )}
      {viewed.kind === 'metric' && viewed.metric.kind === 'enum' && search.group_by !== undefined && (
        <Field small label="Option">
          <Select
            value={option}
            onChoice={(chosen) => onSearch({ option: chosen }, true)}
            options={viewed.metric.options?.map(({ value, label }) => [value, label ?? value] as const) ?? []}
          />
        </Field>
      )}
      <GroupBySelect
        key={viewed.kind === 'metric' ? viewed.metric.name : viewed.measure.rows}
        fields={GROUP_FIELDS[viewed.kind === 'metric' ? 'metric' : viewed.measure.rows]}
        value={search.group_by}
        onChange={(groupBy) => onSearch({ group_by: groupBy, show: undefined, group: undefined }, false)}
      />
      <Field small label="Bucket">
        <Select
          value={search.bucket ?? ''}
          onChoice={(bucket) => onSearch({ bucket: bucket || undefined, at: undefined }, true)}
          options={[
            ['', `Automatic (${automaticBucket(range)})`],
            ...buckets.map((bucket) => [bucket, bucket, spanMs / bucketMsOf(bucket) > BUCKETS_MAX] as const),
          ]}
        />
      </Field>
      <Field small label="Draw">
        <Select
          value={search.draw ?? usual}
          onChoice={(draw) => onSearch({ draw: draw === usual ? undefined : draw }, true)}
          options={[
            ['lines', 'Lines'],
            ['bars', isStacked ? 'Stacked bars' : 'Bars', isStacked && usual === 'lines'],
          ]}
        />
      </Field>
      <label className="flex h-8 items-center gap-1.5 text-sm">
        <input
          type="checkbox"
          checked={search.log === true}
          onChange={({ target }) =>
            onSearch({ log: target.checked ? true : undefined, ...(target.checked ? { draw: 'lines' } : {}) }, true)
          }
        />
        Log axis
      </label>
    </div>
  )
}
