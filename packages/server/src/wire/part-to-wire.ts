import type { NamedMetricEvent } from '../metrics/use-cases.ts'
import { toMediaUri } from '../ports/media/media-uri.ts'
import type { TraceRecord } from '../ports/traces/trace-record.ts'
import type { StepWithAttachments } from './step-to-wire.ts'
import { toWireTime } from './to-wire.ts'

export interface PartPlace {
  /** How many steps the parts before it have. */
  readonly from: number
  /** How many metric events they have. More than 0: it has no steps. */
  readonly eventsFrom: number
}

/**
 * A part of a trace as JSON text: what was sent, without what is derived from it. Members of the bodies of steps and
 * metadata are verbatim.
 */
export function toTracePart(
  trace: TraceRecord,
  { from, eventsFrom }: PartPlace,
  steps: readonly StepWithAttachments[],
  events: readonly NamedMetricEvent[],
): string {
  const fields = from === 0 && eventsFrom === 0 ? traceFields(trace) : nameOf(trace)
  const head = JSON.stringify({
    id: trace.id,
    from,
    events_from: eventsFrom === 0 ? undefined : eventsFrom,
    flagged: trace.flagged,
    flag_reason: trace.flagReason,
    ...(steps.some(({ attachments }) => attachments.length > 0) && { media_project: trace.projectId }),
  })
  const printed = steps.length === 0 ? '' : `,"steps":[${steps.map(toSentStep).join(',')}]`
  const scores = events.length === 0 ? '' : `,"metric_events":[${events.map(toSentEvent).join(',')}]`
  return `${head.slice(0, -1)},"trace":{${fields}${printed}}${scores}}`
}

function nameOf({ name }: TraceRecord): string {
  return `"name":${JSON.stringify(name)}`
}

function traceFields(trace: TraceRecord): string {
  const { runType, ownStatus, status, spans, ownStartedAt, ownEndedAt, sessionId, userId, metadata } = trace
  const fields = JSON.stringify({
    run_type: runType,
    // Of spans the root says how the run ended; an imported trace has no spans.
    status: ownStatus ?? (spans === null ? undefined : status),
    ...times(ownStartedAt, ownEndedAt),
    session_id: sessionId ?? undefined,
    user_id: userId ?? undefined,
  })
  const own = metadata.toString('utf8')
  return `${nameOf(trace)},${fields.slice(1, -1)}${own === '{}' ? '' : `,"metadata":${own}`}`
}

function toSentStep({ step, attachments }: StepWithAttachments): string {
  const { parentStepId, parentInferred, position } = step
  // Without it, the parent of a step is the one before; the first one has none.
  const hasNone = parentStepId === null && position > 0
  const fields = JSON.stringify({
    id: step.id,
    name: step.name,
    type: step.type,
    model: step.model ?? undefined,
    status: step.status,
    ...times(step.startedAt, step.endedAt),
    parent_step_id: parentInferred ? undefined : hasNone ? null : (parentStepId ?? undefined),
    idempotency_key: step.idempotencyKey ?? undefined,
    attachments: attachments.length === 0 ? undefined : attachments.map((one) => ({ uri: toMediaUri(one) })),
  })
  const sent = step.body.slice(1, -1).trim()
  return sent === '' ? fields : `${fields.slice(0, -1)},${sent}}`
}

function toSentEvent({ name, event }: NamedMetricEvent): string {
  const { value } = event
  const fields = JSON.stringify({
    name,
    trace_id: event.traceId,
    step_id: event.stepId ?? undefined,
    ...(value.kind === 'boolean'
      ? { passed: value.passed }
      : { value: value.kind === 'numeric' ? value.number : value.option }),
    source: event.source ?? undefined,
    comment: event.comment ?? undefined,
    idempotency_key: event.idempotencyKey ?? undefined,
    at: toWireTime(event.at),
  })
  const metadata = event.metadata.toString('utf8')
  return metadata === '{}' ? fields : `${fields.slice(0, -1)},"metadata":${metadata}}`
}

function times(startedAt: number | null, endedAt: number | null) {
  return {
    started_at: startedAt === null ? undefined : toWireTime(startedAt),
    ended_at: endedAt === null ? undefined : toWireTime(endedAt),
  }
}
