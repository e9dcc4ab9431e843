import type { MetricEvent, MetricEventList } from '@spoor/contract/schemas/metrics/metric-event'
import type { MetricEventBody } from '@spoor/contract/schemas/metrics/metric-event-body'
import type { MetricEventQuery } from '@spoor/contract/schemas/metrics/metric-event-query'
import type { Metric, MetricCreate, MetricPatch } from '@spoor/contract/schemas/metrics/metric'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { listAll } from './client/list-all.ts'
import { request } from './client/request.ts'

const pathOfMetric = (name: string) => `/v1/metrics/${encodeURIComponent(name)}`

/** All definitions, oldest first. */
export const metricsQuery = queryOptions({
  queryKey: ['metrics'],
  queryFn: ({ signal }) => listAll<Metric>('/v1/metrics', 'metrics', signal),
})

export function metricQuery(name: string) {
  return queryOptions({
    queryKey: ['metrics', name],
    queryFn: ({ signal }) => request<Metric>(pathOfMetric(name), { signal }),
  })
}

export function defineMetric(body: MetricCreate): Promise<Metric> {
  return request<Metric>('/v1/metrics', { method: 'POST', body })
}

export function changeMetric(name: string, body: MetricPatch): Promise<Metric> {
  return request<Metric>(pathOfMetric(name), { method: 'PATCH', body })
}

/** Records one event. */
export function recordMetricEvent(body: MetricEventBody): Promise<MetricEvent> {
  return request<MetricEvent>('/v1/metrics/events', { method: 'POST', body })
}

/** Newest first, page by page. */
export function metricEventsQuery(filters: MetricEventQuery) {
  return infiniteQueryOptions({
    queryKey: ['metric-events', filters],
    queryFn: ({ pageParam, signal }) =>
      request<MetricEventList>('/v1/metrics/events', { query: { limit: 100, ...filters, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}
