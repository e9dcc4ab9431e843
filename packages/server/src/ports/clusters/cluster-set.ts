import type { ProjectId, SelectionId } from '@spoor/contract/ids'
import { CLUSTER_KINDS, type ClusterKind } from '@spoor/contract/schemas/cluster'

/**
 * The clusters of one kind of a project or of a selection of its traces, with their own discoveries. Those of the
 * requests of all traces have the id of the project.
 */
export type ClusterSetId = ProjectId | `${ProjectId}/${ClusterKind}` | `${ProjectId}/${ClusterKind}/${SelectionId}`

export function clusterSetOf(
  projectId: ProjectId,
  kind: ClusterKind,
  selection: SelectionId | null = null,
): ClusterSetId {
  if (selection !== null) return `${projectId}/${kind}/${selection}`
  return kind === 'requests' ? projectId : `${projectId}/${kind}`
}

/** Of all traces of the project, then of its selections. */
export function clusterSetsOf(projectId: ProjectId, selections: readonly SelectionId[] = []): readonly ClusterSetId[] {
  return [null, ...selections].flatMap((one) => CLUSTER_KINDS.map((kind) => clusterSetOf(projectId, kind, one)))
}

export function projectOfSet(setId: ClusterSetId): ProjectId {
  return setId.split('/')[0] as ProjectId
}

export function kindOfSet(setId: ClusterSetId): ClusterKind {
  return (setId.split('/')[1] as ClusterKind | undefined) ?? 'requests'
}

/** Null for all traces. */
export function selectionOfSet(setId: ClusterSetId): SelectionId | null {
  return (setId.split('/')[2] as SelectionId | undefined) ?? null
}

/** The set of all traces of that kind, to which what is stored of single traces belongs. */
export function wholeSetOf(setId: ClusterSetId): ClusterSetId {
  return clusterSetOf(projectOfSet(setId), kindOfSet(setId))
}
