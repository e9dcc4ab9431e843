import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { metricsQuery } from '../api/metrics.ts'
import { type TimeRange, toSeriesRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { changed } from '../lib/search.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/field.tsx'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState, Loading, Skeleton } from '../ui/states.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { MetricFormModal } from '../metric-definition/metric-form-modal.tsx'
import type { MetricSearch } from './search.ts'
import { CARD_GRID, MetricCard, TraceCard } from './series-card.tsx'

export const route = createLazyRoute('/app/metrics')({ component: MetricsScreen })

const TRACE_CARDS = [
  { measure: 'count', stat: 'count' },
  { measure: 'error_rate', stat: 'error_rate' },
  { measure: 'duration_ms', stat: 'p50' },
  { measure: 'duration_ms', stat: 'p95' },
  { measure: 'total_tokens', stat: 'sum' },
  { measure: 'cost_usd', stat: 'sum' },
] as const

function MetricsScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  /** The metric that is edited, or a new one. */
  const [edited, setEdited] = useState<Metric | 'new' | null>(null)
  const range = toSeriesRange(search)
  const mayManage = useMay('manage')
  const define = () => setEdited('new')
  useShortcuts('Metrics', mayManage ? { n: { does: 'New metric', run: define } } : {})
  return (
    <>
      <PageHeader
        title="Metrics"
        actions={
          <>
            <TimeRangePicker
              value={range}
              onChange={(next) =>
                void navigate({ search: changed<MetricSearch>(toTimeRangeSearch(next), { q: search.q }) })
              }
            />
            {mayManage && (
              <Button icon={Plus} variant="primary" onClick={define}>
                New metric
              </Button>
            )}
          </>
        }
      />
      <div className="space-y-8 p-4">
        <section aria-labelledby="of-traces">
          <h2 id="of-traces" className="mb-3 font-semibold">
            Traces
          </h2>
          <ul className={CARD_GRID}>
            {TRACE_CARDS.map(({ measure, stat }) => (
              <TraceCard key={`${measure} ${stat}`} measure={measure} stat={stat} range={range} />
            ))}
          </ul>
        </section>
        <DefinedMetrics range={range} onEdit={mayManage ? setEdited : undefined} />
      </div>
      {edited !== null && (
        <MetricFormModal
          {...(edited === 'new' ? {} : { metric: edited })}
          onClose={() => setEdited(null)}
          onDone={() => {}}
        />
      )}
    </>
  )
}

interface DefinedMetricsProps {
  readonly range: TimeRange
  /** Opens the form; undefined if the session may not change metrics. */
  readonly onEdit: ((metric: Metric | 'new') => void) | undefined
}

function DefinedMetrics({ range, onEdit }: DefinedMetricsProps) {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(metricsQuery)
  const { data: metrics } = query
  const wanted = q.toLowerCase()
  const found = metrics?.filter(({ name, description }) =>
    `${name} ${description ?? ''}`.toLowerCase().includes(wanted),
  )
  return (
    <section aria-labelledby="defined">
      <div className="mb-3 flex min-h-8 flex-wrap items-center justify-between gap-3">
        <h2 id="defined" className="font-semibold">
          Metrics {metrics !== undefined && <span className="text-muted font-normal">{metrics.length}</span>}
        </h2>
        {(metrics?.length ?? 0) > 6 && (
          <Input
            type="search"
            aria-label="Find a metric"
            placeholder="Find a metric"
            className="max-w-56"
            value={q}
            onText={(text) =>
              void navigate({ search: (before) => changed(before, { q: text || undefined }), replace: true })
            }
          />
        )}
      </div>
      <Loading
        query={query}
        placeholder={
          <div role="status" aria-label="Loading" className={CARD_GRID}>
            {[0, 1, 2].map((card) => (
              <Skeleton key={card} className="h-37" />
            ))}
          </div>
        }
      />
      {metrics?.length === 0 && (
        <EmptyState title="No metrics yet">
          <p>
            A metric records how well runs did: passed or failed, a number, or one of several options. Define it here,
            then record events for it.
          </p>
          {onEdit !== undefined && (
            <Button variant="primary" onClick={() => onEdit('new')}>
              Create metric
            </Button>
          )}
        </EmptyState>
      )}
      {found?.length === 0 && metrics?.length !== 0 && <p className="text-muted">No metric matches “{q}”.</p>}
      <ul className={CARD_GRID}>
        {found?.map((metric) => (
          <MetricCard
            key={metric.id}
            {...{ metric, range, onEdit }}
            onMonitor={(name) => void navigate({ to: '/app/monitors', search: { create: true, metric: name } })}
          />
        ))}
      </ul>
    </section>
  )
}
