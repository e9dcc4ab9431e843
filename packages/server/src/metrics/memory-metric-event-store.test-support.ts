import type { MetricEventId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { MetricEventRecord } from '../journal/metric-event.ts'
import type { MetricEventQuery, MetricEventStore } from './metric-event-store.ts'

/** Metric events in memory, for tests; passes metric-event-store.conformance.ts. */
export class MemoryMetricEventStore implements MetricEventStore {
  readonly #events: MetricEventRecord[] = []
  readonly #deleted = new Set<TraceId>()

  /** Committed, in the order of their ids. */
  add(...events: readonly MetricEventRecord[]): void {
    this.#events.push(...events)
  }

  /** As a trace that is deleted takes its events along. */
  delete(traceId: TraceId): void {
    this.#deleted.add(traceId)
  }

  async list(query: MetricEventQuery): Promise<readonly MetricEventRecord[]> {
    const { metricId, traceId, stepId, source, startTime, endTime, after } = query
    return this.#of(query.projectId)
      .filter((event) => metricId === null || event.metricId === metricId)
      .filter((event) => traceId === null || event.traceId === traceId)
      .filter((event) => stepId === null || event.stepId === stepId)
      .filter((event) => source === null || event.source === source)
      .filter(({ at }) => (startTime === null || at >= startTime) && (endTime === null || at < endTime))
      .filter(({ at, id }) => after === null || at < after.at || (at === after.at && id < after.id))
      .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
      .slice(0, query.limit)
  }

  async findByTrace(query: Parameters<MetricEventStore['findByTrace']>[0]): Promise<readonly MetricEventRecord[]> {
    const { traceId, after, limit } = query
    return this.#of(query.projectId)
      .filter((event) => event.traceId === traceId && (after === null || event.id > after))
      .slice(0, limit)
  }

  async find(projectId: ProjectId, traceId: TraceId, id: MetricEventId): Promise<MetricEventRecord | undefined> {
    return this.#of(projectId).find((event) => event.traceId === traceId && event.id === id)
  }

  #of(projectId: ProjectId): MetricEventRecord[] {
    return this.#events.filter((event) => event.projectId === projectId && !this.#deleted.has(event.traceId))
  }
}
