import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { Link } from '@tanstack/react-router'
import { Bot, Check, CodeXml, User, X } from 'lucide-react'
import { SOURCE_LABELS } from '../../lib/metric-sources.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import { eventLabel } from './event-value.ts'

const ICONS = { human: User, code: CodeXml, llm: Bot } as const

/** One metric event with a link to its trace or step. */
export function EventRow({ event, metric }: { event: MetricEvent; metric: Metric }) {
  const { passed, source, comment, trace_id, step_id, at } = event
  const tone: Tone = passed === null ? 'plain' : passed ? 'ok' : 'fail'
  const Icon = source === null ? null : ICONS[source]
  const label = eventLabel(event, metric)
  return (
    <li className="hover:bg-hover focus-within:bg-hover relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-0.5 border-b px-4 py-1.5 text-sm md:grid-cols-[8rem_minmax(0,1fr)_6rem_11rem_7rem]">
      <span className="min-w-0 tabular-nums">
        <Badge tone={tone}>
          {passed === true && <Check className="size-3" aria-hidden />}
          {passed === false && <X className="size-3" aria-hidden />}
          <bdi title={label} className="truncate">
            {label}
          </bdi>
        </Badge>
      </span>
      <Time at={at} className="text-muted relative z-1 text-right md:order-last" />
      <bdi className="min-w-0 truncate" title={comment ?? undefined}>
        {comment?.slice(0, 500)}
      </bdi>
      <span className="text-muted flex items-center justify-end gap-1.5 md:justify-start">
        {Icon !== null && <Icon className="size-3.5 shrink-0" aria-hidden />} {source !== null && SOURCE_LABELS[source]}
      </span>
      <Link
        to="/app/traces/$traceId"
        params={{ traceId: trace_id }}
        search={step_id === null ? {} : { step: step_id }}
        className="text-accent col-span-2 truncate font-mono text-xs after:absolute after:inset-0 md:col-span-1"
        title={step_id === null ? trace_id : `${trace_id}, ${step_id}`}
      >
        {step_id === null ? 'trace' : 'step'} …{(step_id ?? trace_id).slice(-8)}
      </Link>
    </li>
  )
}
