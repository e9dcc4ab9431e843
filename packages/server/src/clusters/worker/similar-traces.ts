import { dotProduct, rowOf } from '@spoor/clustering/matrix'
import type { DiscoveryMemory } from '../../ports/clusters/discovery-memory.ts'
import type { Embedder } from './embedder.ts'
import type { SimilarRequest, SimilarTrace } from './messages.ts'
import { unpackIds } from './pack-ids.ts'

/**
 * The traces in the order of their similarity to one, by the view of the last run, or before the first by a view of
 * these traces. Traces without stored data are left out; without that of the one there are none.
 */
export async function similarTraces(
  memory: Pick<DiscoveryMemory, 'centroids'>,
  embedder: Embedder,
  { setId, traceId, among }: SimilarRequest,
): Promise<readonly SimilarTrace[]> {
  const ids = [...new Set([traceId, ...unpackIds(among)])].sort()
  const run = await memory.centroids(setId)
  const ofRun = run === undefined ? null : await embedder.viewOf(setId, run.embedderVersion)
  const view = ofRun ?? (await embedder.viewFor(setId, ids, []))
  const { points, traceIds } = await view.embed(ids)
  const own = traceIds.indexOf(traceId)
  if (own === -1) return []
  const row = Float64Array.from(rowOf(points, own))
  return traceIds
    .map((id, at) => ({ traceId: id, similarity: Math.min(1, Math.max(0, dotProduct(rowOf(points, at), row, 0))) }))
    .filter((_, at) => at !== own)
    .sort((one, other) => other.similarity - one.similarity)
}
