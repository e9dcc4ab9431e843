import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { Step } from '@spoor/contract/schemas/traces/step'
import { OctagonX } from 'lucide-react'
import { toAddress } from '../../api/client/current-project.ts'
import { formatCount } from '../../lib/format-number.ts'
import { formatDuration } from '../../lib/format-time.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { LongText } from '../../ui/text/long-text.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { kindOf } from '../list/step-kind.ts'
import type { StepBatch } from '../model/step-batch.ts'
import { durationOf } from '../model/time-scale.ts'
import type { TraceSource } from '../reading/trace-source.ts'
import { Conversation } from './conversation.tsx'
import { AttachmentList } from './media-view.tsx'
import { MetricEventList } from './metric-event-list.tsx'
import { LedHere } from '../insight/led-here.tsx'
import { Facts, Section, SectionOnDemand } from './section.tsx'
import { StepCost } from './step-cost.tsx'

interface StepDetailProps {
  /** Null where scores are only read. */
  readonly source: TraceSource | null
  readonly traceId: string
  readonly steps: StepBatch
  readonly index: number
  /** Null while loading; until then the columns of the list are shown. */
  readonly step: Step | null
  readonly metricEvents: readonly MetricEvent[]
  readonly onStep: (stepId: string) => void
}

export function StepDetail({ source, traceId, steps, index, step, metricEvents, onStep }: StepDetailProps) {
  const type = steps.types[index] as string
  const name = steps.names[index] as string
  const duration = durationOf(steps, index)
  const { Icon, text } = kindOf(type)
  const id = steps.ids[index] as string
  const stepEvents = metricEvents.filter((event) => event.step_id === id)
  return (
    <article aria-label={`Step ${name.slice(0, 80)}`} className="@container space-y-5 p-4">
      <header className="space-y-3">
        <div className="flex items-start gap-2">
          <Icon className={`mt-1 size-4 shrink-0 ${text}`} aria-hidden />
          <h2 className="max-h-24 min-w-0 flex-1 overflow-y-auto text-lg leading-6 font-semibold wrap-anywhere">
            <bdi>{name}</bdi>
          </h2>
        </div>
        <Facts
          facts={[
            { label: 'Type', value: <span className={text}>{type}</span> },
            { label: 'Model', value: steps.models[index] === null ? null : <bdi>{steps.models[index]}</bdi> },
            { label: 'Duration', value: Number.isNaN(duration) ? null : formatDuration(duration) },
            { label: 'Started', value: startOf(step) },
            {
              label: 'Cost',
              value: Number.isNaN(steps.costs[index]) ? null : (
                <StepCost cost={steps.costs[index] as number} isSenders={step?.cost_source === 'sender'} />
              ),
            },
            ...tokenFacts(step?.token_usage ?? {}),
            { label: 'Counted on', value: stepLink(steps, step?.usage_counted_on ?? null, onStep) },
          ]}
        />
        <div className="flex flex-wrap gap-2">
          <CopyButton labelled label="Copy link" text={() => linkTo(traceId, id)} />
          {step !== null && <CopyButton labelled label="Copy JSON" text={() => JSON.stringify(step, null, 2)} />}
        </div>
      </header>
      {step === null ? (
        <Skeleton className="h-40" />
      ) : (
        <>
          <StepError step={step} />
          {step.messages !== undefined && step.messages.length > 0 && (
            <Conversation key={id} messages={step.messages} ofTool={step.type === 'tool'} />
          )}
          <SectionOnDemand key={`led to ${id}`} title="What led here">
            <LedHere traceId={traceId} stepId={id} link={(of) => stepLink(steps, of, onStep)} />
          </SectionOnDemand>
          {step.attachments.length > 0 && (
            <Section title="Attachments">
              <AttachmentList attachments={step.attachments} />
            </Section>
          )}
          {stepEvents.length > 0 && (
            <Section title="Metric events">
              <MetricEventList source={source} events={stepEvents} />
            </Section>
          )}
          {step.metadata !== undefined && Object.keys(step.metadata).length > 0 && (
            <Section title="Metadata">
              <JsonView key={id} value={step.metadata} label="Step metadata" />
            </Section>
          )}
          <Section title="Details">
            <Facts
              facts={[
                { label: 'Position', value: formatCount(step.position + 1) },
                { label: 'Step id', value: <code className="font-mono text-xs font-normal break-all">{step.id}</code> },
                { label: 'Received', value: <Time at={step.received_at} exact className="font-normal" /> },
                {
                  label: 'Idempotency key',
                  value: step.idempotency_key === null ? null : <bdi className="break-all">{step.idempotency_key}</bdi>,
                },
                {
                  label: step.parent_inferred ? 'Previous step' : 'Parent',
                  value: stepLink(steps, step.parent_step_id, onStep),
                },
              ]}
            />
          </Section>
        </>
      )}
    </article>
  )
}

function startOf(step: Step | null) {
  const at = step?.started_at ?? null
  return at === null ? null : <Time at={at} exact />
}

function StepError({ step: { status, error } }: { step: Step }) {
  const { stack } = (error ?? {}) as { readonly stack?: string }
  if (status !== 'error' && error === undefined) return null
  return (
    <div className="bg-fail-ground text-fail rounded-lg border border-fail/30 p-3">
      <p className="flex items-center gap-2 font-semibold">
        <OctagonX className="size-4 shrink-0" aria-hidden />
        <bdi className="min-w-0 wrap-anywhere">{error?.type ?? (status === 'error' ? 'Failed' : 'Error')}</bdi>
      </p>
      {error?.message !== undefined && (
        <p className="mt-1.5 max-h-96 overflow-y-auto font-mono text-xs wrap-anywhere whitespace-pre-wrap" tabIndex={0}>
          <LongText text={error.message} />
        </p>
      )}
      {stack !== undefined && stack !== '' && (
        <details className="mt-1.5 text-xs">
          <summary className="w-fit">Stack trace</summary>
          <pre className="mt-1.5 max-h-96 overflow-auto font-mono whitespace-pre" tabIndex={0}>
            <LongText text={stack} />
          </pre>
        </details>
      )}
    </div>
  )
}

function tokenFacts({ input, output, cache_read, cache_write, reasoning }: NonNullable<Step['token_usage']>) {
  const counts = {
    'Input tokens': input,
    'cache read': cache_read,
    'cache write': cache_write,
    'Output tokens': output,
    reasoning,
  }
  return Object.entries(counts).map(([label, count]) => ({
    label,
    value: count === undefined ? null : formatCount(count),
  }))
}

function stepLink(steps: StepBatch, id: string | null, onStep: (stepId: string) => void) {
  if (id === null) return null
  const index = steps.ids.indexOf(id)
  if (index === -1) return <span className="font-mono text-xs break-all">{id} (not in this trace)</span>
  return (
    <button type="button" className="text-accent max-w-64 truncate underline" onClick={() => onStep(id)}>
      <bdi>{steps.names[index]}</bdi>
    </button>
  )
}

function linkTo(traceId: string, stepId: string): string {
  return `${location.origin}${toAddress(`/app/traces/${traceId}`)}?step=${stepId}`
}
