import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { MetricValue } from '../ports/journal/metric-event.ts'
import type { MetricEventStore } from '../ports/metrics/metric-event-store.ts'
import type { MetricStore } from '../ports/metrics/metric-store.ts'

interface LatestValuesDependencies {
  readonly events: Pick<MetricEventStore, 'latestOf'>
  readonly definitions: Pick<MetricStore, 'findByName'>
}

/** See `MetricUseCases.latestValues`. */
export async function latestValues(
  { events, definitions }: LatestValuesDependencies,
  projectId: ProjectId,
  names: readonly string[],
  traceIds: readonly TraceId[],
): Promise<ReadonlyMap<TraceId, ReadonlyMap<string, MetricValue>>> {
  const metrics = await Promise.all([...new Set(names)].map((name) => definitions.findByName(projectId, name)))
  const nameOf = new Map(metrics.flatMap((metric) => (metric === undefined ? [] : [[metric.id, metric.name]])))
  const byTrace = new Map<TraceId, Map<string, MetricValue>>()
  for (const { traceId, metricId, value } of await events.latestOf(projectId, [...nameOf.keys()], traceIds)) {
    const name = nameOf.get(metricId) as string
    const values = byTrace.get(traceId)
    if (values === undefined) byTrace.set(traceId, new Map([[name, value]]))
    else values.set(name, value)
  }
  return byTrace
}
