import { bucketMsOf } from '../lib/series-data.ts'
import { boundsOf, type TimeRange } from '../lib/time-range.ts'
import { automaticBucket } from '../api/series.ts'
import { Select } from '../ui/field.tsx'
import { GroupBySelect } from './group-by-select.tsx'
import { Labelled } from './labelled.tsx'
import type { MetricSearch } from './search.ts'
import type { Statistic } from './statistics.ts'
import type { ChangeSearch, ViewedSeries } from './viewed-series.ts'

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

/** The statistic, the grouping and the bucket length of a series. */
export function SeriesToolbar({ viewed, statistics, statistic, option, range, search, onSearch }: SeriesToolbarProps) {
  const { from, to } = boundsOf(range, Date.now())
  const spanMs = (to ?? Date.now()) - (from ?? 0)
  const buckets = search.bucket === undefined || BUCKETS.includes(search.bucket) ? BUCKETS : [search.bucket, ...BUCKETS]
  return (
    <div className="bg-sunken flex flex-wrap items-end gap-x-4 gap-y-2 border-b px-4 py-2">
      {statistics.length > 1 && (
        <Labelled label="Statistic">
          {(id) => (
            <Select id={id} value={statistic.id} onChange={({ target }) => onSearch({ stat: target.value }, true)}>
              {statistics.map(({ id: value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Labelled>
      )}
      {viewed.kind === 'metric' && viewed.metric.kind === 'enum' && search.group_by !== undefined && (
        <Labelled label="Option">
          {(id) => (
            <Select id={id} value={option} onChange={({ target }) => onSearch({ option: target.value }, true)}>
              {viewed.metric.options?.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label ?? value}
                </option>
              ))}
            </Select>
          )}
        </Labelled>
      )}
      <GroupBySelect
        fields={viewed.kind === 'metric' ? METRIC_GROUPS : TRACE_GROUPS}
        value={search.group_by}
        onChange={(groupBy) => onSearch({ group_by: groupBy, show: undefined, group: undefined }, false)}
      />
      {viewed.kind === 'metric' && (
        <Labelled label="Source">
          {(id) => (
            <Select
              id={id}
              value={search.source ?? ''}
              onChange={({ target }) =>
                onSearch({ source: (target.value || undefined) as MetricSearch['source'] }, true)
              }
            >
              <option value="">Any source</option>
              <option value="human">Human</option>
              <option value="code">Code</option>
              <option value="llm">LLM</option>
            </Select>
          )}
        </Labelled>
      )}
      <Labelled label="Bucket">
        {(id) => (
          <Select
            id={id}
            value={search.bucket ?? ''}
            onChange={({ target }) => onSearch({ bucket: target.value || undefined, at: undefined }, true)}
          >
            <option value="">Automatic ({automaticBucket(range)})</option>
            {buckets.map((bucket) => (
              <option key={bucket} value={bucket} disabled={spanMs / bucketMsOf(bucket) > BUCKETS_MAX}>
                {bucket}
              </option>
            ))}
          </Select>
        )}
      </Labelled>
    </div>
  )
}
