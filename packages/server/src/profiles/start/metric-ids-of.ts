import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { ControlStores } from './service-stores.ts'

/** Looks up the id of a metric by its name; null when the project has no such metric. */
export function metricIdsOf({ metrics }: Pick<ControlStores, 'metrics'>) {
  return async (projectId: ProjectId, name: string): Promise<MetricId | null> =>
    (await metrics.findByName(projectId, name))?.id ?? null
}
