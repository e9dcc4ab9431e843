import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { formatCount, formatValue } from '../../lib/format-number.ts'
import { Time } from '../../ui/time.tsx'
import type { TraceHead } from '../reading/trace-head.ts'

interface EventsOfMetricProps {
  readonly head: TraceHead | null
  readonly metric: Metric | undefined
}

/** The newest event of the metric on this trace, and how many there are. */
export function EventsOfMetric({ head, metric }: EventsOfMetricProps) {
  if (metric === undefined || head?.metric_events === undefined) return null
  const events = head.metric_events.filter(({ name }) => name === metric.name)
  const last = events.at(-1)
  if (last === undefined) return <p className="text-muted text-sm">No score yet</p>
  const { passed, value, source, at } = last
  const shown =
    passed !== null
      ? passed
        ? 'passed'
        : 'failed'
      : typeof value === 'number'
        ? formatValue(value)
        : (metric.options?.find((option) => option.value === value)?.label ?? value)
  return (
    <p className="text-muted max-w-full truncate text-sm">
      {events.length > 1 && `${formatCount(events.length)} scores, last: `}
      <span className="text-ink font-medium">{shown}</span> · {source ?? 'no source'} · <Time at={at} />
    </p>
  )
}
