import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { ClusterWorker } from '../worker/cluster-worker.ts'
import { packIds, unpackIds } from '../worker/pack-ids.ts'

/** A few requests of an endpoint at a time: between them others can use the worker, and vectors are stored. */
const ASKED_TOGETHER = 256

/**
 * Has the worker request vectors for traces without one; returns whether there were any. May be interrupted and started
 * again at any point. Rejects when the endpoint returns none.
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
