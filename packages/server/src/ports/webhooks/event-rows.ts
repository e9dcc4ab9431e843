import type { MetricEventId, MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { MetricEventRecord } from '../journal/metric-event.ts'

export interface MetricEventPlace {
  readonly traceId: TraceId
  readonly id: MetricEventId
}

/**
 * Rows of traces and metric events for event bodies, as JSON text in the wire format, without deleted ones. Rejects if
 * a store cannot be read.
 */
export interface EventRows {
  /** The present rows of the trace list. */
  traceRows(projectId: ProjectId, ids: readonly TraceId[]): Promise<ReadonlyMap<TraceId, string>>
  metricEvents(projectId: ProjectId, places: readonly MetricEventPlace[]): Promise<ReadonlyMap<MetricEventId, string>>
}

/** The stores and printers of other features that rows are made with. */
export interface EventRowSources<Trace extends { readonly id: TraceId; readonly deleted: boolean | 'expired' }> {
  /** Latest versions, in any order; may include tombstones. */
  findTraces(projectId: ProjectId, ids: readonly TraceId[]): Promise<readonly Trace[]>
  /** Without traces that have no attachment. */
  countAttachments(ids: readonly TraceId[]): Promise<ReadonlyMap<TraceId, number>>
  /** The cost of each of these traces at current prices, US dollars; null if unknown. */
  costOf(projectId: ProjectId): Promise<(trace: Trace) => number | null>
  printTrace(trace: Trace, attachmentCount: number, costUsd: number | null): string
  /** In any order, without rows of deleted traces. */
  findMetricEvents(projectId: ProjectId, places: readonly MetricEventPlace[]): Promise<readonly MetricEventRecord[]>
  findMetric(projectId: ProjectId, id: MetricId): Promise<{ readonly name: string } | undefined>
  printMetricEvent(event: { readonly name: string; readonly event: MetricEventRecord }): string
}

export function createEventRows<Trace extends { readonly id: TraceId; readonly deleted: boolean | 'expired' }>(
  sources: EventRowSources<Trace>,
): EventRows {
  return {
    async traceRows(projectId, ids) {
      const traces = (await sources.findTraces(projectId, ids)).filter(({ deleted }) => !deleted)
      const counts = await sources.countAttachments(traces.map(({ id }) => id))
      const costOf = await sources.costOf(projectId)
      return new Map(
        traces.map((trace) => [trace.id, sources.printTrace(trace, counts.get(trace.id) ?? 0, costOf(trace))]),
      )
    },
    async metricEvents(projectId, places) {
      const events = await sources.findMetricEvents(projectId, places)
      const names = new Map<MetricId, string>()
      for (const { metricId } of events) {
        if (names.has(metricId)) continue
        const metric = await sources.findMetric(projectId, metricId)
        if (metric === undefined) throw new Error(`an event is of the metric ${metricId}, which does not exist`)
        names.set(metricId, metric.name)
      }
      const print = (event: MetricEventRecord) =>
        sources.printMetricEvent({ name: names.get(event.metricId) as string, event })
      return new Map(events.map((event) => [event.id, print(event)]))
    },
  }
}
