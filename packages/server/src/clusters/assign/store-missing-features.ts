import type { ClusterSetId } from '../../ports/clusters/cluster-set.ts'
import type { ClusterTraces } from '../../ports/clusters/cluster-traces.ts'
import type { ClusterWorker } from '../worker/cluster-worker.ts'
import type { TraceVersion } from '../worker/messages.ts'
import { stepParts } from './step-parts.ts'

export interface StoreMissingDependencies {
  readonly traces: Pick<ClusterTraces, 'steps' | 'headings'>
  readonly inputPathOf: InputPathOf
  readonly worker: Pick<ClusterWorker, 'ask'>
}

/** Where the project says the request of a trace is, see ProjectSettings; null for failures. */
export type InputPathOf = (setId: ClusterSetId) => Promise<string | null>

/** Traces in one query for known features. */
const ASKED_TOGETHER = 1000

/**
 * Has the worker compute features of those traces that have none, or only of an older version or another path. May be
 * interrupted and started again at any point. Stops after `mostParts` parts of steps, each of about a megabyte, and
 * returns whether it came to the end.
 */
export async function storeMissingFeatures(
  { traces, worker, inputPathOf }: StoreMissingDependencies,
  setId: ClusterSetId,
  listed: readonly TraceVersion[],
  onShare: (share: number) => void = () => undefined,
  mostParts = Infinity,
): Promise<boolean> {
  const inputPath = await inputPathOf(setId)
  let parts = 0
  for (let from = 0; from < listed.length; from += ASKED_TOGETHER) {
    onShare(from / listed.length)
    const part = listed.slice(from, from + ASKED_TOGETHER).map(({ id, version }) => ({ id, version }))
    const missing = new Set(await worker.ask('lacking', { setId, traces: part, inputPath }))
    const versions = part.filter(({ id }) => missing.has(id))
    for await (const read of stepParts(traces, setId, versions, inputPath)) {
      if (parts++ === mostParts) return false
      await worker.ask('keep', { setId, ...read })
    }
  }
  return true
}
