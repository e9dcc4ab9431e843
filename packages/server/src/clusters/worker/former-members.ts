import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { DiscoveryMemory } from '../../ports/clusters/discovery-memory.ts'
import type { Embedder } from './embedder.ts'

/**
 * Traces of the last run, when another embedder made it: the current one must embed them too to recognise its clusters.
 * Otherwise none.
 */
export async function formerMembers(
  memory: Pick<DiscoveryMemory, 'centroids' | 'lastRun'>,
  embedder: Embedder,
  projectId: ProjectId,
): Promise<readonly TraceId[]> {
  const run = await memory.centroids(projectId)
  if (run === undefined || (await embedder.viewOf(projectId, run.embedderVersion)) !== null) return []
  return ((await memory.lastRun(projectId))?.previous.traceIds ?? []) as readonly TraceId[]
}
