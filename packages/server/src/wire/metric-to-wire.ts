import { meaningOf } from '@spoor/contract/schemas/metrics/metric'
import { type MetricValue, plainValue } from '../ports/journal/metric-event.ts'
import type { MetricDefinition } from '../ports/metrics/metric-definition.ts'
import type { EventLineVerdict, NamedMetricEvent } from '../metrics/use-cases.ts'
import { toWireTime } from './to-wire.ts'

export function toMetric(metric: MetricDefinition) {
  return {
    id: metric.id,
    name: metric.name,
    ...meaningOf(metric),
    created_at: toWireTime(metric.createdAt),
    updated_at: toWireTime(metric.updatedAt),
  }
}

/** The values of a trace by name, in the order of the names. */
export function toMetricValues(names: readonly string[], values: ReadonlyMap<string, MetricValue> | undefined) {
  return Object.fromEntries(
    names.map((name) => {
      const value = values?.get(name)
      return [name, value === undefined ? null : plainValue(value)]
    }),
  )
}

/** An event as JSON text, with its metadata verbatim. */
export function toMetricEvent({ name, event }: NamedMetricEvent): string {
  const { value } = event
  const before = JSON.stringify({
    id: event.id,
    name,
    trace_id: event.traceId,
    step_id: event.stepId,
    passed: value.kind === 'boolean' ? value.passed : null,
    value: value.kind === 'numeric' ? value.number : value.kind === 'enum' ? value.option : null,
    source: event.source,
    comment: event.comment,
  })
  const after = JSON.stringify({
    idempotency_key: event.idempotencyKey,
    created_by: event.createdBy,
    at: toWireTime(event.at),
    created_at: toWireTime(event.createdAt),
  })
  return `${before.slice(0, -1)},"metadata":${event.metadata.toString('utf8')},${after.slice(1)}`
}

export function toEventLineResult(verdict: EventLineVerdict) {
  const { line, status } = verdict
  if (status === 'error') return { line, status, code: verdict.code, detail: verdict.detail, pointer: verdict.pointer }
  return { line, status, event_id: verdict.eventId }
}
