import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { ScoredBy, ScoreFilters } from '../../ports/metrics/scored-by.ts'

/** The event that a trace must have; null when no filter asks for one, undefined when the metric does not exist. */
export async function toScoredBy(
  metricIdOf: (projectId: ProjectId, name: string) => Promise<MetricId | null>,
  projectId: ProjectId,
  { metric, passed, minValue, maxValue, option }: ScoreFilters,
): Promise<ScoredBy | null | undefined> {
  if ([metric, passed, minValue, maxValue, option].every((value) => value === null)) return null
  const metricId = metric === null ? null : await metricIdOf(projectId, metric)
  if (metric !== null && metricId === null) return undefined
  return { metricId, passed, min: minValue, max: maxValue, option }
}
