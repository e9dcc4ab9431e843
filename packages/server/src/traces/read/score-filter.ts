import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { ScoredBy, ScoreFilters } from '../../ports/metrics/scored-by.ts'

/** The event that a trace must have; null when no filter asks for one, undefined when the metric does not exist. */
export async function toScoredBy(
  metricIdOf: (projectId: ProjectId, name: string) => Promise<MetricId | null>,
  projectId: ProjectId,
  { metric, passed, minValue: min, maxValue: max, option, eventStartTime, eventEndTime }: ScoreFilters,
): Promise<ScoredBy | null | undefined> {
  const own = { passed, min, max, option, startTime: eventStartTime, endTime: eventEndTime }
  if (metric === null && Object.values(own).every((value) => value === null)) return null
  const metricId = metric === null ? null : await metricIdOf(projectId, metric)
  return metric !== null && metricId === null ? undefined : { metricId, ...own }
}
