import { assignNew } from '@spoor/clustering/assign-new'
import type { DiscoveryMemory } from '../../ports/clusters/discovery-memory.ts'
import type { Embedder } from './embedder.ts'
import type { AssignRequest } from './messages.ts'

/** Rounding of a cosine stored as float32: identical traces are exactly at the reach of their cluster. */
const ROUNDING = 1e-6

/**
 * Assigns traces that arrived after the last run to its nearest clusters, or to none if they are out of reach. Does
 * nothing when there is a later run. Returns false, and changes nothing, when the embedder differs from that of the
 * run. Rejects when the embedder needs an endpoint that does not answer.
 */
export async function assignTraces(
  memory: DiscoveryMemory,
  embedder: Embedder,
  request: AssignRequest,
): Promise<boolean> {
  const { setId, runId, through } = request
  const run = await memory.centroids(setId)
  if (run?.id !== runId) return true
  const view = await embedder.viewOf(setId, run.embedderVersion)
  if (view === null) return false
  const { points, traceIds } = await view.embedNew(request)
  const reaches = run.reaches.map((reach) => reach - ROUNDING)
  const assignments = assignNew(points, run.centroids, reaches)
  const members = traceIds.map((traceId, index) => ({ traceId, cluster: assignments[index]! }))
  await memory.addMembers(setId, run.place, members, through)
  return true
}
