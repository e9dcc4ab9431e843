import type { Limits } from '@spoor/contract/limits'
import { MORE_METADATA } from '../../../lib/validation/move-aside.ts'
import type { Span, SpanEvent, SpanOrigin, Value } from '../wire/span.ts'
import type { SpanFields } from './span-fields.ts'
import { STACK } from './span-outcome.ts'

const KINDS = ['', '', 'server', 'client', 'producer', 'consumer'] as const

interface UsedEvents {
  /** Of which nothing is left. */
  readonly usedEvents: ReadonlySet<SpanEvent>
  /** The exception whose stack is the step's. */
  readonly failure: SpanEvent | undefined
}

/**
 * All that is in no field of the step, under its own name. What is no attribute has a name that begins with `otel.`.
 */
export function stepMetadata(
  span: Span,
  { resource, scope }: SpanOrigin,
  unread: SpanFields['rest'],
  { usedEvents, failure }: UsedEvents,
  limits: Limits,
): Readonly<Record<string, Value>> {
  const entries: [string, Value][] = [['otel.span_id', span.spanId]]
  if (span.parentSpanId === span.spanId) entries.push(['otel.parent_span_id', span.parentSpanId])
  if (scope.name !== '') entries.push(['otel.scope.name', scope.name])
  if (scope.version !== '') entries.push(['otel.scope.version', scope.version])
  if (scope.attributes.size > 0) entries.push(['otel.scope.attributes', Object.fromEntries(scope.attributes)])
  const kind = KINDS[span.kind] ?? ''
  if (kind !== '') entries.push(['otel.kind', kind])
  if (span.traceState !== '') entries.push(['otel.trace_state', span.traceState])
  if (span.endNs > 0n && span.endNs < span.startNs) entries.push(['otel.end_time_unix_nano', String(span.endNs)])
  for (const [name, ns] of [['start', span.startNs] as const, ['end', span.endNs] as const]) {
    if (ns < 0n) entries.push([`otel.${name}_time_unix_nano`, String(ns)])
  }
  const events = span.events.filter((event) => !usedEvents.has(event))
  if (events.length > 0)
    entries.push(['otel.events', events.map((event) => toValue(event, event === failure ? STACK : null))])
  if (span.links.length > 0) {
    entries.push([
      'otel.links',
      span.links.map(({ traceId, spanId, attributes }) => ({
        trace_id: traceId,
        span_id: spanId,
        ...(attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
      })),
    ])
  }
  if (resource.size > 0) entries.push(['otel.resource', Object.fromEntries(resource)])
  const more: [string, Value][] = []
  // One place is for what does not fit.
  const room = limits.metadataKeys - 1
  for (const entry of unread) {
    const fits = entries.length < room && entry[0].length <= limits.metadataKeyLength
    ;(fits ? entries : more).push(entry)
  }
  if (more.length > 0) entries.push([MORE_METADATA, Object.fromEntries(more)])
  return Object.fromEntries(entries)
}

function toValue({ name, timeNs, attributes }: SpanEvent, without: string | null): Value {
  const left = [...attributes].filter(([key]) => key !== without)
  return {
    name,
    ...(timeNs > 0n ? { time_unix_nano: String(timeNs) } : {}),
    ...(left.length === 0 ? {} : { attributes: Object.fromEntries(left) }),
  }
}
