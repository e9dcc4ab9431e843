import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { MetricEventBody } from '@spoor/contract/schemas/metrics/metric-event-body'
import type { Metric, MetricCreate, MetricPatch } from '@spoor/contract/schemas/metrics/metric'
import { shownTraces } from '../lib/shown-traces.ts'
import { allQuery } from './client/queries.ts'
import { patch, post, remove } from './client/request.ts'

const pathOfMetric = (name: string) => `/v1/metrics/${encodeURIComponent(name)}`

/** All definitions, oldest first. */
export const metricsQuery = allQuery<Metric>(['metrics'], '/v1/metrics', 'metrics')

export const defineMetric = (body: MetricCreate) => post<Metric>('/v1/metrics', body)
export const changeMetric = (name: string, body: MetricPatch) => patch<Metric>(pathOfMetric(name), body)

export async function removeMetricEvent(event: MetricEvent): Promise<void> {
  await remove(`/v1/metrics/events/${event.id}`)
  shownTraces.get(event.trace_id)?.removeMetricEvent(event)
}

/** As it was recorded; the content comes again under another id. */
export const recordAgain = ({ name, trace_id, step_id, passed, value, source, comment, metadata, at }: MetricEvent) =>
  recordMetricEvent({
    name,
    trace_id,
    step_id,
    metadata,
    at,
    ...(passed === null ? {} : { passed }),
    ...(value === null ? {} : { value }),
    ...(source === null ? {} : { source }),
    ...(comment === null ? {} : { comment }),
  })

export async function recordMetricEvent(body: MetricEventBody): Promise<MetricEvent> {
  const event = await post<MetricEvent>('/v1/metrics/events', body)
  shownTraces.get(event.trace_id)?.addMetricEvent(event)
  return event
}
