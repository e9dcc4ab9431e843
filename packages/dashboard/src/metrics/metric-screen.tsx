import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { Bell, Pencil } from 'lucide-react'
import { useState } from 'react'
import { metricQuery } from '../api/metrics.ts'
import type { TraceMeasure } from '../api/series.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { changed } from '../lib/search.ts'
import { NO_RANGE, toSeriesRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { PageHeader } from '../ui/page.tsx'
import { Loading } from '../ui/states.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { MetricFormModal } from '../metric-definition/metric-form-modal.tsx'
import { SeriesView } from './series-view.tsx'
import { MEASURE_LABELS } from './statistics.ts'
import type { ViewedSeries } from './search.ts'

export const route = createLazyRoute('/app/metrics/$name')({ component: MetricScreen })

function MetricScreen() {
  const { name } = route.useParams()
  const { of } = route.useSearch()
  if (of === undefined) return <DefinedMetric key={name} name={name} />
  const measure = Object.hasOwn(MEASURE_LABELS, name) ? (name as TraceMeasure) : 'count'
  return (
    <Screen
      key={measure}
      title={measure === 'count' ? 'Traces' : `Traces: ${MEASURE_LABELS[measure].toLowerCase()}`}
      viewed={{ kind: 'traces', measure }}
    />
  )
}

function DefinedMetric({ name }: { name: string }) {
  const query = useQuery(metricQuery(name))
  const { data: metric } = query
  if (metric !== undefined) return <Screen title={metric.name} viewed={{ kind: 'metric', metric }} />
  return (
    <>
      <PageHeader title={name} />
      <Loading query={query} />
    </>
  )
}

function Screen({ title, viewed }: { title: string; viewed: ViewedSeries }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [isChanging, setIsChanging] = useState(false)
  const metric = viewed.kind === 'metric' ? viewed.metric : null
  const watched = watchedBy(viewed)
  const mayManage = useMay('manage')
  return (
    <>
      <PageHeader
        title={title}
        {...(metric === null ? {} : { meta: <About metric={metric} /> })}
        actions={
          <>
            <TimeRangePicker
              value={toSeriesRange(search)}
              onChange={(range) =>
                void navigate({
                  search: changed(search, {
                    ...NO_RANGE,
                    at: undefined,
                    bucket: undefined,
                    ...toTimeRangeSearch(range),
                  }),
                })
              }
            />
            {watched !== null && mayManage && (
              <Link
                to="/app/monitors"
                search={{ create: true, ...watched }}
                title="Create a monitor for this series"
                className="bg-raised hover:bg-hover inline-flex h-8 items-center gap-1.5 rounded-md border px-3 text-sm font-medium"
              >
                <Bell className="size-4" aria-hidden /> Monitor
              </Link>
            )}
            {metric !== null && mayManage && (
              <Button icon={Pencil} onClick={() => setIsChanging(true)}>
                Edit
              </Button>
            )}
          </>
        }
      />
      <SeriesView
        viewed={viewed}
        search={search}
        onSearch={(change, replace) =>
          void navigate({ search: (before) => changed(before, change), replace, resetScroll: false })
        }
      />
      {isChanging && metric !== null && (
        <MetricFormModal metric={metric} onClose={() => setIsChanging(false)} onDone={() => {}} />
      )}
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

/** Initial values of the monitor form; null for costs, which monitors do not support. */
function watchedBy(viewed: ViewedSeries) {
  if (viewed.kind === 'metric') return { metric: viewed.metric.name }
  return viewed.measure === 'cost_usd' ? null : { measure: viewed.measure }
}
