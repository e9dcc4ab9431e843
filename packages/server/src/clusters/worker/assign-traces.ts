import { assignNew } from '@spoor/clustering/assign-new'
import type { DiscoveryMemory } from '../../ports/clusters/discovery-memory.ts'
import type { Embedder } from './embedder.ts'
import type { AssignRequest } from './messages.ts'

/** Of a cosine kept as float32: traces that all ask the same are as near to their centroid as it reaches. */
const ROUNDING = 1e-6

/**
 * Puts traces that came after the newest run into its nearest clusters, unless even those are too far. Nothing happens
 * when another run has come. False, and nothing happens, when they cannot be seen as the run saw its traces: the
 * embedder is another one now. Rejects when the embedder has to ask for something and gets no answer.
 */
export async function assignTraces(
  memory: DiscoveryMemory,
  embedder: Embedder,
  { projectId, runId, traceIds, through }: AssignRequest,
): Promise<boolean> {
  const run = await memory.centroids(projectId)
  if (run?.id !== runId) return true
  const view = await embedder.viewOf(projectId, run.embedderVersion)
  if (view === null) return false
  await embedder.ask(projectId, traceIds, 'one')
  const { points, traceIds: known } = await view.embed(traceIds)
  const reaches = run.reaches.map((reach) => reach - ROUNDING)
  const assignments = assignNew(points, run.centroids, reaches)
  const members = known.flatMap((traceId, index) => {
    const cluster = assignments[index]!
    return cluster < 0 ? [] : [{ traceId, cluster }]
  })
  await memory.addMembers(projectId, run.place, members, through)
  return true
}
