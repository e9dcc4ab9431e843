import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { Bell, Pencil } from 'lucide-react'
import { useState } from 'react'
import { metricQuery } from '../api/metrics.ts'
import { SOURCE_LABELS } from '../lib/metric-sources.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { changed } from '../lib/search.ts'
import { NO_RANGE, toSeriesRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { PageHeader } from '../ui/page.tsx'
import { Loading } from '../ui/states.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { MetricFormModal } from '../metric-definition/metric-form-modal.tsx'
import { SeriesView } from './series-view.tsx'
import { PointEvents } from './point/point-events.tsx'
import type { ChangeSearch } from './search.ts'

export const route = createLazyRoute('/app/metrics/$name')({ component: MetricScreen })

function MetricScreen() {
  const { name } = route.useParams()
  const query = useQuery(metricQuery(name))
  const { data: metric } = query
  if (metric !== undefined) return <Screen key={name} metric={metric} />
  return (
    <>
      <PageHeader title={name} />
      <Loading query={query} />
    </>
  )
}

function Screen({ metric }: { metric: Metric }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [isChanging, setIsChanging] = useState(false)
  const range = toSeriesRange(search)
  const { source } = search
  const mayManage = useMay('manage')
  const onSearch: ChangeSearch = (change, replace) =>
    void navigate({ search: (before) => changed(before, change), replace, resetScroll: false })
  return (
    <>
      <PageHeader
        title={metric.name}
        meta={<About metric={metric} />}
        actions={
          <>
            <TimeRangePicker
              value={range}
              onChange={(next) =>
                void navigate({
                  search: changed(search, {
                    ...NO_RANGE,
                    at: undefined,
                    bucket: undefined,
                    ...toTimeRangeSearch(next),
                  }),
                })
              }
            />
            {mayManage && (
              <Link
                to="/app/monitors"
                search={{ create: true, metric: metric.name }}
                title="Create a monitor for this series"
                className="bg-raised hover:bg-hover inline-flex h-8 items-center gap-1.5 rounded-md border px-3 text-sm font-medium"
              >
                <Bell className="size-4" aria-hidden /> Monitor
              </Link>
            )}
            {mayManage && (
              <Button icon={Pencil} onClick={() => setIsChanging(true)}>
                Edit
              </Button>
            )}
          </>
        }
      />
      <SeriesView
        viewed={{ kind: 'metric', metric, source }}
        search={search}
        range={range}
        // What is chosen in the chart is listed whole.
        onSearch={(change, replace) => onSearch('at' in change ? { ...change, value: undefined } : change, replace)}
        tools={
          <Field small label="Source">
            <Select
              value={source ?? ''}
              onChoice={(chosen) => onSearch({ source: chosen || undefined }, true)}
              options={{ '': 'Any source', ...SOURCE_LABELS }}
            />
          </Field>
        }
        below={(bucketMs) => <PointEvents {...{ metric, search, range, bucketMs, onSearch }} />}
      />
      {isChanging && <MetricFormModal metric={metric} onClose={() => setIsChanging(false)} onDone={() => {}} />}
    </>
  )
}

function About({ metric: { kind, direction, description, min, max } }: { metric: Metric }) {
  return (
    <>
      <span className="shrink-0">
        <Badge>{kind}</Badge>
      </span>
      {direction !== null && <Badge tone="info">{direction} is better</Badge>}
      {(min !== null || max !== null) && (
        <span className="whitespace-nowrap tabular-nums">
          {min ?? '−∞'} to {max ?? '∞'}
        </span>
      )}
      {description !== null && (
        <bdi className="max-w-96 min-w-0 truncate" title={description}>
          {description}
        </bdi>
      )}
    </>
  )
}
