import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { metricsQuery } from '../../api/metrics.ts'
import { useMay } from '../../lib/hooks/use-session.ts'
import { eventValue } from '../../lib/score-value.ts'
import { startScoring, stopScoring } from '../../lib/scoring-session.ts'
import { MetricFormModal } from '../../metric-definition/metric-form-modal.tsx'
import { bottomBar } from '../../ui/bottom-bar.ts'
import { IconButton } from '../../ui/button.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { Select } from '../../ui/field.tsx'
import type { TraceHead } from '../reading/trace-head.ts'
import type { Tab } from '../search.ts'
import { ScoreForm } from './score-form.tsx'
import { formatCount, formatValue } from '../../lib/format-number.ts'
import { Time } from '../../ui/time.tsx'

interface ScoringBarProps {
  readonly traceId: string
  /** Null while the trace loads. */
  readonly head: TraceHead | null
  readonly stepId: string | undefined
  readonly tab: Tab
  /** The name of the chosen metric. */
  readonly metric: string
}

const NEW = '\0new'

/** Scores the trace, or its selected step, by one metric, and goes on to the next trace of the list. */
export function ScoringBar({ traceId, head, stepId, tab, metric: name }: ScoringBarProps) {
  const { data: metrics, error } = useQuery(metricsQuery)
  const mayDefine = useMay('manage')
  const [isDefining, setIsDefining] = useState(false)
  const ready = head?.id === traceId
  const metric = metrics?.find((each) => each.name === name)
  return (
    <section
      ref={bottomBar}
      aria-label="Score"
      aria-busy={!ready}
      className="bg-raised flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-t px-4 py-2"
    >
      <Select
        aria-label="Metric"
        className="w-auto! max-w-48"
        value={metric?.name ?? ''}
        onChoice={(chosen) => {
          if (chosen === NEW) setIsDefining(true)
          else startScoring(chosen)
          // Keys score from now on.
          if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
        }}
        options={[
          ['', 'Choose a metric', true],
          ...(metrics?.map((each) => each.name) ?? []),
          ...(mayDefine ? [[NEW, 'New metric…'] as const] : []),
        ]}
      />
      <IconButton icon={X} label="Close" keys="m" className="ml-auto sm:order-last" onClick={stopScoring} />
      {metrics === undefined && <ErrorText error={error} />}
      {metric !== undefined && (
        <ScoreForm
          key={metric.id}
          traceId={traceId}
          traceName={ready ? head.name : null}
          metric={metric}
          stepId={stepId}
          tab={tab}
        />
      )}
      <EventsOfMetric head={ready ? head : null} metric={metric} />
      {isDefining && (
        <MetricFormModal onClose={() => setIsDefining(false)} onDone={(made) => startScoring(made.name)} />
      )}
    </section>
  )
}

/** The newest event of the metric on this trace, and how many there are. */
function EventsOfMetric({ head, metric }: { head: TraceHead | null; metric: Metric | undefined }) {
  if (metric === undefined || head?.metric_events === undefined) return null
  const events = head.metric_events.filter(({ name }) => name === metric.name)
  const last = events.at(-1)
  if (last === undefined) return <p className="text-muted text-sm">No score yet</p>
  const { value, source, at } = last
  const shown =
    typeof value === 'number'
      ? formatValue(value)
      : (metric.options?.find((option) => option.value === value)?.label ?? eventValue(last))
  return (
    <p className="text-muted max-w-full truncate text-sm">
      {events.length > 1 && `${formatCount(events.length)} scores, last: `}
      <span className="text-ink font-medium">{shown}</span> · {source ?? 'no source'} · <Time at={at} />
    </p>
  )
}
