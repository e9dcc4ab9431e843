import { CircleAlert } from 'lucide-react'
import { useMemo } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { JsonView } from '../../ui/text/json-view.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import type { StepBatch } from '../model/step-batch.ts'
import { metadataOf, type TraceHead } from '../reading/trace-head.ts'
import { AttachmentList } from './media-view.tsx'
import { MetricEventList } from './metric-event-list.tsx'
import { Facts, Section } from './section.tsx'

interface TraceDetailProps {
  readonly head: TraceHead
  readonly steps: StepBatch
  readonly onStep: (stepId: string) => void
}

/** What is of the whole trace, while no step is looked at. */
export function TraceDetail({ head, steps, onStep }: TraceDetailProps) {
  const { metric_events: events, unpriced_models: unpriced, token_usage: tokens } = head
  const metadata = useMemo(() => metadataOf(head), [head.metadata, head.exactText])
  return (
    <article aria-label="Trace" className="space-y-5 p-4">
      <h2 className="sr-only">This trace</h2>
      {head.flag_reason !== null && (
        <div className="bg-warn-ground text-warn rounded-lg p-3">
          <p className="text-xs font-semibold">Why it was marked</p>
          <p className="wrap-anywhere whitespace-pre-wrap">{head.flag_reason}</p>
        </div>
      )}
      {unpriced !== undefined && unpriced.length > 0 && (
        <p className="text-warn flex items-start gap-2 text-sm">
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span className="min-w-0 wrap-anywhere">
            The cost is too low by what these models used, which have no price: {unpriced.join(', ')}. Prices are set in
            Settings.
          </span>
        </p>
      )}
      <Section title="Metric events">
        {events === undefined ? (
          <Skeleton className="h-10" />
        ) : events.length === 0 ? (
          <p className="text-muted text-sm">Nothing was measured on this trace.</p>
        ) : (
          <MetricEventList events={events} stepName={(id) => steps.names[steps.ids.indexOf(id)]} onStep={onStep} />
        )}
      </Section>
      {head.attachments.length > 0 && (
        <Section title="Attachments">
          <AttachmentList attachments={head.attachments} />
        </Section>
      )}
      <Section title="Metadata">
        {Object.keys(head.metadata).length === 0 ? (
          <p className="text-muted text-sm">None was sent.</p>
        ) : (
          <JsonView value={metadata} label="Metadata of the trace" />
        )}
      </Section>
      <Section title="Tokens">
        <Facts
          facts={[
            { label: 'In', value: formatCount(tokens.input) },
            { label: 'from cache', value: tokens.cache_read === 0 ? null : formatCount(tokens.cache_read) },
            { label: 'to cache', value: tokens.cache_write === 0 ? null : formatCount(tokens.cache_write) },
            { label: 'Out', value: formatCount(tokens.output) },
            { label: 'reasoning', value: tokens.reasoning === 0 ? null : formatCount(tokens.reasoning) },
          ]}
        />
      </Section>
      <Section title="Record">
        <Facts
          facts={[
            { label: 'Models', value: head.models.length === 0 ? null : <bdi>{head.models.join(', ')}</bdi> },
            { label: 'Started', value: head.started_at === null ? null : <Time at={head.started_at} exact /> },
            { label: 'Ended', value: head.ended_at === null ? null : <Time at={head.ended_at} exact /> },
            { label: 'Committed', value: <Time at={head.created_at} exact /> },
            { label: 'Trace id', value: <code className="font-mono text-xs font-normal break-all">{head.id}</code> },
          ]}
        />
      </Section>
    </article>
  )
}
