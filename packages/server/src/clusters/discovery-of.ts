import type { ClusterId, ProjectId } from '@spoor/contract/ids'
import { NO_CLUSTER } from '@spoor/contract/trace-filters'
import { clusterSetsOf, kindOfSet, selectionOfSet } from '../ports/clusters/cluster-set.ts'
import type { ClusterStore } from '../ports/clusters/cluster-store.ts'
import type { createSelections } from './selections.ts'
import type { ClusterUseCases } from './use-cases.ts'

const HOUR_MS = 3600 * 1000

/** A cluster with its run, the latest one of the project or of a selection; undefined if none has it. */
export async function findWithRun(
  clusters: Pick<ClusterStore, 'selections' | 'currentRun' | 'find'>,
  projectId: ProjectId,
  id: ClusterId,
) {
  const known = (await clusters.selections(projectId)).map((one) => one.id)
  for (const setId of clusterSetsOf(projectId, known)) {
    const run = await clusters.currentRun(setId)
    const found = run === undefined ? undefined : await clusters.find(run, id)
    if (run !== undefined && found !== undefined) return { run, found }
  }
  return undefined
}

export function discoveryOfIn(
  clusters: Parameters<typeof findWithRun>[0],
  selections: Pick<ReturnType<typeof createSelections>, 'find'>,
): ClusterUseCases['discoveryOf'] {
  return async (projectId, id = null) => {
    const isOne = id !== null && id !== NO_CLUSTER
    const run = isOne ? (await findWithRun(clusters, projectId, id))?.run : await clusters.currentRun(projectId)
    if (run === undefined) return null
    const { setId, computedAt, durationMs, parameters } = run
    const selection = selectionOfSet(setId)
    return {
      kind: kindOfSet(setId),
      failureBy: parameters.failureBy,
      createdFrom: computedAt - durationMs - parameters.windowHours * HOUR_MS,
      filters: selection === null ? null : (await selections.find(projectId, selection)).filters,
    }
  }
}
