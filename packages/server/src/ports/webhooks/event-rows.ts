import type { MetricEventId, MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { MetricEventRecord } from '../journal/metric-event.ts'

export interface MetricEventPlace {
  readonly traceId: TraceId
  readonly id: MetricEventId
}

/** What events tell of traces and metric events, as JSON text of the wire. What is deleted is left out. They reject when a store cannot be read: nothing is said then. */
export interface EventRows {
  /** Rows of the trace list as they are now. */
  traceRows(projectId: ProjectId, ids: readonly TraceId[]): Promise<ReadonlyMap<TraceId, string>>
  metricEvents(projectId: ProjectId, places: readonly MetricEventPlace[]): Promise<ReadonlyMap<MetricEventId, string>>
}

/** What rows are made of: stores of other features, and how http prints what they hold. */
export interface EventRowSources<Trace extends { readonly id: TraceId; readonly deleted: boolean }> {
  /** Newest versions, in no order; tombstones may be among them. */
  findTraces(projectId: ProjectId, ids: readonly TraceId[]): Promise<readonly Trace[]>
  /** Traces without attachments are left out. */
  countAttachments(ids: readonly TraceId[]): Promise<ReadonlyMap<TraceId, number>>
  printTrace(trace: Trace, attachmentCount: number): string
  /** In no order; those of deleted traces are left out. */
  findMetricEvents(projectId: ProjectId, places: readonly MetricEventPlace[]): Promise<readonly MetricEventRecord[]>
  findMetric(projectId: ProjectId, id: MetricId): Promise<{ readonly name: string } | undefined>
  printMetricEvent(event: { readonly name: string; readonly event: MetricEventRecord }): string
}

export function createEventRows<Trace extends { readonly id: TraceId; readonly deleted: boolean }>(
  sources: EventRowSources<Trace>,
): EventRows {
  return {
    async traceRows(projectId, ids) {
      const traces = (await sources.findTraces(projectId, ids)).filter(({ deleted }) => !deleted)
      const counts = await sources.countAttachments(traces.map(({ id }) => id))
      return new Map(traces.map((trace) => [trace.id, sources.printTrace(trace, counts.get(trace.id) ?? 0)]))
    },
    async metricEvents(projectId, places) {
      const events = await sources.findMetricEvents(projectId, places)
      const names = new Map<MetricId, string>()
      for (const { metricId } of events) {
        if (names.has(metricId)) continue
        const metric = await sources.findMetric(projectId, metricId)
        if (metric === undefined) throw new Error(`an event is of the metric ${metricId}, which is not there`)
        names.set(metricId, metric.name)
      }
      const print = (event: MetricEventRecord) =>
        sources.printMetricEvent({ name: names.get(event.metricId) as string, event })
      return new Map(events.map((event) => [event.id, print(event)]))
    },
  }
}
