import { useMemo } from 'react'
import { changed } from '../lib/search.ts'
import { toSeriesRange } from '../lib/time-range.ts'
import { type Measure, measureOf, MEASURES } from './measures.ts'
import type { ChangeChart } from '../metrics/search.ts'
import { SeriesView } from '../metrics/series-view.tsx'
import type { FeedSearch } from '../traces/filters/search.ts'
import { toFeedRequest } from '../traces/list/feed-request.ts'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { COMMON_CHARTS } from './common-charts.ts'
import { PointRows } from './point-rows.tsx'

interface ChartFormProps {
  readonly search: FeedSearch
  onChange(next: FeedSearch, how?: { replace: boolean }): void
}

/** The query as a chart: a measure of its traces or steps over time, by group. */
export function ChartForm({ search, onChange }: ChartFormProps) {
  const measure = measureOf(search.measure)
  const range = toSeriesRange(search)
  const { filters, metadata } = toFeedRequest(search)
  const { sort: _sort, order: _order, ...taken } = filters
  const ofKey = JSON.stringify({ filters: taken, metadata })
  const viewed = useMemo(() => ({ kind: 'rows', measure, of: JSON.parse(ofKey) }) as const, [measure, ofKey])
  const onSearch: ChangeChart = (change, replace) => onChange(changed<FeedSearch>(search, change), { replace })
  return (
    <div className="flex flex-1 flex-col">
      <div className="flex gap-1.5 overflow-x-auto px-4 pt-2 pb-1" role="group" aria-label="Common charts">
        {COMMON_CHARTS.map(({ label, chart }) => (
          <Button
            key={label}
            variant="ghost"
            className="h-7! border"
            onClick={() => onChange({ ...withoutChart(search), ...chart })}
          >
            {label}
          </Button>
        ))}
      </div>
      <SeriesView
        viewed={viewed}
        search={search}
        range={range}
        onSearch={onSearch}
        tools={
          <Field small label="Measure">
            <Select
              value={measure.id}
              onChoice={(id) => onChange(withMeasure(search, measureOf(id)))}
              options={MEASURES.map(({ id, label }) => [id, label])}
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
  bucket: undefined,
  show: undefined,
  draw: undefined,
  log: undefined,
  at: undefined,
  group: undefined,
}
const withoutChart = (search: FeedSearch) => changed<FeedSearch>(search, NO_CHART)

/** The same query and grouping with another measure. */
function withMeasure(search: FeedSearch, { id }: Measure): FeedSearch {
  const { group_by, bucket } = search
  return changed<FeedSearch>(withoutChart(search), { measure: id === 'count' ? undefined : id, group_by, bucket })
}
