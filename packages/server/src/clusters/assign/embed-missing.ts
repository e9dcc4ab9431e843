import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { ClusterWorker } from '../worker/cluster-worker.ts'
import { packIds, unpackIds } from '../worker/pack-ids.ts'

/** Some requests of an endpoint: between them others have their turn at the worker, and what was answered is kept. */
const ASKED_TOGETHER = 256

/**
 * Has the worker ask for vectors of those traces that have none; whether there were any. May be broken off and begun
 * again anywhere. Rejects when the endpoint gives none.
 */
export async function embedMissing(
  worker: Pick<ClusterWorker, 'ask'>,
  projectId: ProjectId,
  traceIds: readonly TraceId[],
  onShare: (share: number) => void,
): Promise<boolean> {
  const missing = unpackIds(await worker.ask('unembedded', { projectId, traceIds: packIds(traceIds) }))
  for (let from = 0; from < missing.length; from += ASKED_TOGETHER) {
    onShare(from / missing.length)
    await worker.ask('embed', { projectId, traceIds: missing.slice(from, from + ASKED_TOGETHER) })
  }
  return missing.length > 0
}
