import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricDefinition } from '../ports/metrics/metric-definition.ts'

export const OWN_PROJECT = 'proj_01h2xcejqtf2nbrexx3vqjhp41' as ProjectId
export const FOREIGN_PROJECT = 'proj_01h2xcejqtf2nbrexx3vqjhp42' as ProjectId
const METRIC_ID = 'met_01h2xcejqtf2nbrexx3vqjhp41' as MetricId

export function aMetric(fields: Partial<MetricDefinition> = {}): MetricDefinition {
  return {
    projectId: OWN_PROJECT,
    id: METRIC_ID,
    name: 'solved',
    kind: 'boolean',
    description: null,
    min: null,
    max: null,
    unit: null,
    options: null,
    direction: null,
    createdAt: 1,
    updatedAt: 1,
    ...fields,
  }
}
