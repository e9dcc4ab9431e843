import type { ReactNode } from 'react'
import type { ChartSearch } from '../lib/chart-search.ts'
import { changed } from '../lib/search.ts'
import { NO_RANGE, toSeriesRange } from '../lib/time-range.ts'
import { useMeasures } from './measures.ts'
import type { ChangeChart } from '../metrics/search.ts'
import { SeriesView } from '../metrics/series-view.tsx'
import type { FeedSearch } from '../traces/filters/search.ts'
import { seriesFilters } from '../traces/list/feed-request.ts'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Skeleton } from '../ui/states.tsx'
import { PointRows } from './point-rows.tsx'

interface ChartFormProps {
  readonly search: FeedSearch
  onChange(next: FeedSearch, how?: { replace: boolean }): void
}

/** The query as a chart: a measure of its traces or steps over time, by group. */
export function ChartForm({ search, onChange }: ChartFormProps): ReactNode {
  const { measures, measure } = useMeasures(search.measure)
  if (measure === null) return <Skeleton className="m-4 h-96" />
  const range = toSeriesRange(search)
  const viewed = { measure, of: seriesFilters(search), search, range }
  const onSearch: ChangeChart = (change, replace) => onChange(changed<FeedSearch>(search, change), { replace })
  return (
    <div className="flex flex-1 flex-col">
      <div className="flex gap-1.5 overflow-x-auto px-4 pt-2 pb-1" role="group" aria-label="Common charts">
        {COMMON_CHARTS.map(({ label, chart, time }) => (
          <Button
            key={label}
            variant="ghost"
            className="h-7! border"
            onClick={() => onChange(changed<FeedSearch>(withoutChart(search), { ...chart, ...time }))}
          >
            {label}
          </Button>
        ))}
      </div>
      <SeriesView
        viewed={viewed}
        onSearch={onSearch}
        tools={
          <Field small label="Measure">
            <Select
              value={measure.id}
              onChoice={(id) => onChange(withMeasure(search, id))}
              options={measures.map(({ id, label }) => [id, label])}
            />
          </Field>
        }
        below={(bucketMs) => <PointRows {...{ measure, search, range, bucketMs, onSearch }} />}
      />
    </div>
  )
}

const NO_CHART = {
  measure: undefined,
  stat: undefined,
  group_by: undefined,
  then_by: undefined,
  rank: undefined,
  before: undefined,
  bucket: undefined,
  show: undefined,
  draw: undefined,
  log: undefined,
  at: undefined,
  group: undefined,
}
const withoutChart = (search: FeedSearch) => changed<FeedSearch>(search, NO_CHART)

/** The same query and grouping with another measure. */
function withMeasure(search: FeedSearch, id: string): FeedSearch {
  const { group_by, then_by, bucket, rank, before } = search
  const kept = { group_by: group_by === id ? undefined : group_by, then_by, bucket, rank, before }
  return changed<FeedSearch>(withoutChart(search), { measure: id === 'count' ? undefined : id, ...kept })
}

interface CommonChart {
  readonly label: string
  readonly chart: ChartSearch
  /** If its time is part of the question. */
  readonly time?: { readonly range: '30d'; readonly from: undefined; readonly to: undefined }
}

/** Questions that are asked most; each replaces the chart and keeps the filters. */
const COMMON_CHARTS: readonly CommonChart[] = [
  { label: 'Failures by error type', chart: { measure: 'error_rate', stat: 'errors', group_by: 'error_type' } },
  { label: 'Cost by model', chart: { measure: 'cost_usd', group_by: 'model' } },
  {
    label: 'Cost by user, 30 days',
    chart: { measure: 'cost_usd', group_by: 'user_id' },
    time: { ...NO_RANGE, range: '30d' },
  },
  { label: 'Duration by step type', chart: { measure: 'steps.duration_ms', group_by: 'step_type' } },
  { label: 'Slowest tools', chart: { measure: 'steps.duration_ms', group_by: 'tool' } },
  { label: 'Errors by tool', chart: { measure: 'steps.error_rate', group_by: 'tool' } },
  { label: 'Tokens by step', chart: { measure: 'steps.total_tokens', group_by: 'step_name' } },
]
