import type {
  MetricBatchResponse,
  MetricCreate,
  MetricEvent,
  MetricEventBody,
  MetricPatch,
  PriceBody,
} from './generated/api-types.ts'
import type { Call, Query } from './call.ts'
import { rowsOf } from './pages.ts'

export function metricRequests(call: Call) {
  return {
    /** Defines a metric. The same definition again changes nothing; another one is refused. */
    define: (body: MetricCreate) => call('defineMetric', { body }, { repeatable: true }),
    list: (query?: Query<'listMetrics'>) => call('listMetrics', { query: query ?? {} }),
    get: (name: string) => call('getMetric', { path: { name } }),
    update: (name: string, body: MetricPatch) => call('patchMetric', { path: { name }, body }),
    /** Records one event. Without an idempotency key it gets one, so that repeated attempts record it once. */
    record: async (event: MetricEventBody) =>
      (await call('recordMetricEvents', { body: withKey(event) }, { repeatable: true })) as MetricEvent,
    /** Records events, with a result for each. */
    recordAll: async (events: readonly MetricEventBody[]) =>
      (await call('recordMetricEvents', { body: events.map(withKey) }, { repeatable: true })) as MetricBatchResponse,
    /** Removes one event that this key recorded; with the scope `manage` any. */
    removeEvent: (id: string) => call('deleteMetricEvent', { path: { id } }),
    events: (query?: Query<'listMetricEvents'>) => call('listMetricEvents', { query: query ?? {} }),
    /** Every event that passes the filters, page after page. */
    allEvents: (query?: Query<'listMetricEvents'>) =>
      rowsOf(
        (cursor) => call('listMetricEvents', { query: { ...query, cursor } }),
        (page) => page.events,
      ),
    series: (name: string, query?: Query<'getMetricSeries'>) =>
      call('getMetricSeries', { path: { name }, query: query ?? {} }),
  }
}

export function priceRequests(call: Call) {
  return {
    list: (query?: Query<'listPrices'>) => call('listPrices', { query: query ?? {} }),
    put: (model: string, body: PriceBody) => call('putPrice', { path: { model }, body }),
    delete: (model: string) => call('deletePrice', { path: { model } }),
  }
}

function withKey(event: MetricEventBody): MetricEventBody {
  return { idempotency_key: crypto.randomUUID(), ...event }
}
