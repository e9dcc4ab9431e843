import type { ProjectId } from '@spoor/contract/ids'
import type { ClusterKind } from '@spoor/contract/schemas/cluster'

/**
 * The clusters of one kind of a project, with their own discoveries. Those of its requests have the id of the project.
 */
export type ClusterSetId = ProjectId | `${ProjectId}/failures`

const OF_FAILURES = '/failures'

export function clusterSetOf(projectId: ProjectId, kind: ClusterKind): ClusterSetId {
  return kind === 'requests' ? projectId : `${projectId}${OF_FAILURES}`
}

export function clusterSetsOf(projectId: ProjectId): readonly ClusterSetId[] {
  return [projectId, clusterSetOf(projectId, 'failures')]
}

export function kindOfSet(setId: ClusterSetId): ClusterKind {
  return setId.endsWith(OF_FAILURES) ? 'failures' : 'requests'
}

export function projectOfSet(setId: ClusterSetId): ProjectId {
  return (setId.endsWith(OF_FAILURES) ? setId.slice(0, -OF_FAILURES.length) : setId) as ProjectId
}
