import { SOURCE_LABELS } from '../lib/metric-sources.ts'
import { bucketMsOf } from '../lib/series-data.ts'
import { boundsOf, type TimeRange } from '../lib/time-range.ts'
import { automaticBucket } from '../api/series.ts'
import { Field, Select } from '../ui/field.tsx'
import { GroupBySelect } from './group-by-select.tsx'
import type { MetricSearch, ChangeSearch, ViewedSeries } from './search.ts'
import type { Statistic } from './statistics.ts'

const BUCKETS = ['1m', '5m', '15m', '1h', '6h', '1d', '1w']
/** More are slow to draw and thinner than a pixel. */
const BUCKETS_MAX = 2000

const METRIC_GROUPS = [
  ['run_type', 'Run type'],
  ['model', 'Model'],
  ['source', 'Source'],
] as const
const TRACE_GROUPS = [
  ['run_type', 'Run type'],
  ['model', 'Model'],
  ['status', 'Status'],
  ['name', 'Name'],
] as const

interface SeriesToolbarProps {
  readonly viewed: ViewedSeries
  readonly statistics: readonly Statistic[]
  readonly statistic: Statistic
  readonly option: string
  readonly range: TimeRange
  readonly search: MetricSearch
  readonly onSearch: ChangeSearch
}

export function SeriesToolbar({ viewed, statistics, statistic, option, range, search, onSearch }: SeriesToolbarProps) {
  const { from, to } = boundsOf(range, Date.now())
  const spanMs = (to ?? Date.now()) - (from ?? 0)
  const buckets = search.bucket === undefined || BUCKETS.includes(search.bucket) ? BUCKETS : [search.bucket, ...BUCKETS]
  return (
    <div className="bg-sunken flex flex-wrap items-end gap-x-4 gap-y-2 border-b px-4 py-2">
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
        fields={viewed.kind === 'metric' ? METRIC_GROUPS : TRACE_GROUPS}
        value={search.group_by}
        onChange={(groupBy) => onSearch({ group_by: groupBy, show: undefined, group: undefined }, false)}
      />
      {viewed.kind === 'metric' && (
        <Field small label="Source">
          <Select
            value={search.source ?? ''}
            onChoice={(source) => onSearch({ source: source || undefined }, true)}
            options={{ '': 'Any source', ...SOURCE_LABELS }}
          />
        </Field>
      )}
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
    </div>
  )
}
