import type { ProjectId } from '@spoor/contract/ids'
import type { HttpDependencies } from '../kernel/dependencies.ts'

const WARNING = 'Spoor does not store metrics of OpenTelemetry; OTEL_METRICS_EXPORTER=none stops them.'

const warned = new WeakMap<HttpDependencies['traces'], Set<ProjectId>>()

/**
 * What an export of metrics is answered: it succeeds, because exporters repeat what fails. The warning comes once for
 * each project, and again after a restart of the service.
 */
export function metricsAnswer({ traces }: Pick<HttpDependencies, 'traces'>, projectId: ProjectId): string {
  const projects = warned.get(traces) ?? new Set()
  warned.set(traces, projects)
  if (projects.has(projectId)) return ''
  projects.add(projectId)
  return WARNING
}
