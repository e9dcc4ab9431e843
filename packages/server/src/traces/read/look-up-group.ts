import type { ClusterId, MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricKind } from '@spoor/contract/schemas/metrics/metric'
import { SERIES_CLUSTER_TRACES } from '@spoor/contract/schemas/series-query'
import { nameOfField, type SeriesFieldName, type SeriesFieldText } from '@spoor/contract/series-fields'
import type { TimeSpan } from '../../lib/time/time-buckets.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { SeriesGroup } from '../../ports/traces/explored-series.ts'
import { clusterTraces } from './cluster-members.ts'
import type { FilterDependencies } from './list-summaries.ts'

export interface GroupDependencies extends FilterDependencies {
  /** A metric by its name; null when the project has none. */
  readonly metricOf: (projectId: ProjectId, name: string) => Promise<{ id: MetricId; kind: MetricKind } | null>
  /** The clusters of the latest discovery. */
  readonly clustersOf: (projectId: ProjectId) => Promise<readonly ClusterId[]>
}

/**
 * The group of a field, with the metric or the members of clusters within the span that it names. Throws DomainError
 * `validation_failed` for an unknown metric, one of numbers, and too many members.
 */
export async function lookUpGroup(
  dependencies: GroupDependencies,
  projectId: ProjectId,
  field: SeriesFieldText,
  span: TimeSpan,
): Promise<SeriesGroup> {
  const [key, name] = [nameOfField(field, 'metadata'), nameOfField(field, 'metric')]
  if (key !== null) return { by: 'metadata', key }
  if (name !== null) {
    const { id, kind } = await lookUpMetric(dependencies, projectId, name, '?group_by')
    if (kind !== 'numeric') return { by: 'metric', metricId: id, kind }
    const detail = `The metric ${name} has numbers: use it as the measure.`
    throw invalid({ pointer: '?group_by', code: 'invalid_value', detail })
  }
  if (field !== 'cluster') return { by: field as Exclude<SeriesFieldName, 'cluster'> }
  const { watermark, clustersOf } = dependencies
  const found = { ...dependencies, idLeadMs: () => watermark().idLeadMs }
  const members: (readonly [ClusterId, Awaited<ReturnType<typeof clusterTraces>>])[] = []
  let count = 0
  for (const cluster of await clustersOf(projectId)) {
    members.push([cluster, await clusterTraces(found, projectId, cluster, span)])
    count += members.at(-1)?.[1].length ?? 0
    if (count > SERIES_CLUSTER_TRACES) {
      const detail = `More than ${SERIES_CLUSTER_TRACES} traces of clusters lie in this time: ask for less of it.`
      throw invalid({ pointer: '?group_by', code: 'too_many', detail })
    }
  }
  return { by: 'cluster', members }
}

/** Throws DomainError `validation_failed` if the project has none. */
export async function lookUpMetric(
  { metricOf }: Pick<GroupDependencies, 'metricOf'>,
  projectId: ProjectId,
  name: string,
  pointer: string,
) {
  const metric = await metricOf(projectId, name)
  if (metric !== null) return metric
  throw invalid({ pointer, code: 'invalid_value', detail: `There is no metric ${JSON.stringify(name)}.` })
}
