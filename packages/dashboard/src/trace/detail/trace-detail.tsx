import { CircleAlert } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import { JsonView } from '../../ui/text/json-view.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import type { StepBatch } from '../model/step-batch.ts'
import { metadataOf, type TraceHead } from '../reading/trace-head.ts'
import type { TraceSource } from '../reading/trace-source.ts'
import { AttachmentList } from './media-view.tsx'
import { MetricEventList } from './metric-event-list.tsx'
import { SimilarRuns } from '../insight/similar-runs.tsx'
import { Facts, Section, SectionOnDemand } from './section.tsx'

interface TraceDetailProps {
  readonly source: TraceSource
  readonly head: TraceHead
  readonly steps: StepBatch
  readonly summary: ReactNode
  /** The runs like this one are shown. */
  readonly showsSimilar: boolean
  readonly onStep: (stepId: string) => void
}

export function TraceDetail({ source, head, steps, summary, showsSimilar, onStep }: TraceDetailProps) {
  const { metric_events: events, unpriced_models: unpriced, token_usage: tokens } = head
  const metadata = useMemo(() => metadataOf(head), [head.metadata, head.exactText])
  return (
    <article aria-label="Trace" className="space-y-5 p-4">
      <h2 className="sr-only">Summary of the trace</h2>
      {head.flag_reason !== null && (
        <div className="bg-warn-ground text-warn rounded-lg p-3">
          <p className="text-xs font-semibold">Reason</p>
          <p className="wrap-anywhere whitespace-pre-wrap">{head.flag_reason}</p>
        </div>
      )}
      {summary}
      {unpriced !== undefined && unpriced.length > 0 && (
        <p className="text-warn flex items-start gap-2 text-sm">
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          <span className="min-w-0 wrap-anywhere">
            These models have no price, so the cost is too low: {unpriced.join(', ')}. Set prices in the settings.
          </span>
        </p>
      )}
      <SectionOnDemand key={head.id} title="Runs like this one" opened={showsSimilar}>
        <SimilarRuns traceId={head.id} />
      </SectionOnDemand>
      <Section title="Metric events">
        {events === undefined ? (
          <Skeleton className="h-10" />
        ) : events.length === 0 ? (
          <p className="text-muted text-sm">No metric events.</p>
        ) : (
          <MetricEventList
            source={source}
            events={events}
            stepName={(id) => steps.names[steps.ids.indexOf(id)]}
            onStep={onStep}
          />
        )}
      </Section>
      {head.attachments.length > 0 && (
        <Section title="Attachments">
          <AttachmentList attachments={head.attachments} />
        </Section>
      )}
      <Section title="Metadata">
        {Object.keys(head.metadata).length === 0 ? (
          <p className="text-muted text-sm">No metadata.</p>
        ) : (
          <JsonView value={metadata} label="Trace metadata" />
        )}
      </Section>
      <Section title="Tokens">
        <Facts
          facts={[
            { label: 'Input', value: formatCount(tokens.input) },
            { label: 'cache read', value: tokens.cache_read === 0 ? null : formatCount(tokens.cache_read) },
            { label: 'cache write', value: tokens.cache_write === 0 ? null : formatCount(tokens.cache_write) },
            { label: 'Output', value: formatCount(tokens.output) },
            { label: 'reasoning', value: tokens.reasoning === 0 ? null : formatCount(tokens.reasoning) },
          ]}
        />
      </Section>
      <Section title="Details">
        <Facts
          facts={[
            { label: 'Models', value: head.models.length === 0 ? null : <bdi>{head.models.join(', ')}</bdi> },
            { label: 'Started', value: head.started_at === null ? null : <Time at={head.started_at} exact /> },
            { label: 'Ended', value: head.ended_at === null ? null : <Time at={head.ended_at} exact /> },
            { label: 'Received', value: <Time at={head.created_at} exact /> },
            { label: 'Trace id', value: <code className="font-mono text-xs font-normal break-all">{head.id}</code> },
          ]}
        />
      </Section>
    </article>
  )
}
