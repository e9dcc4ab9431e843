import type { TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from '../../ports/clusters/cluster-set.ts'
import type { DiscoveryMemory } from '../../ports/clusters/discovery-memory.ts'
import type { Embedder } from './embedder.ts'

/**
 * Traces of the last run, when another embedder made it: the current one must embed them too to recognise its clusters.
 * Otherwise none.
 */
export async function formerMembers(
  memory: Pick<DiscoveryMemory, 'centroids' | 'lastRun'>,
  embedder: Embedder,
  setId: ClusterSetId,
): Promise<readonly TraceId[]> {
  const run = await memory.centroids(setId)
  if (run === undefined || (await embedder.viewOf(setId, run.embedderVersion)) !== null) return []
  return ((await memory.lastRun(setId))?.previous.traceIds ?? []) as readonly TraceId[]
}
