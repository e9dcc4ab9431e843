import type { ProjectId } from '@spoor/contract/ids'
import type { ClusterTraces, StepRow } from '../../ports/clusters/cluster-traces.ts'
import type { ClusterWorker } from '../worker/cluster-worker.ts'
import type { TraceVersion } from '../worker/messages.ts'

export interface StoreMissingDependencies {
  readonly traces: Pick<ClusterTraces, 'steps'>
  readonly worker: Pick<ClusterWorker, 'ask'>
}

/** Traces in one query for known features. */
const ASKED_TOGETHER = 1000

/**
 * Has the worker compute features of those traces that have none or only of an older version. May be interrupted and
 * started again at any point. Stops after `mostParts` parts of steps, each of about a megabyte, and returns whether it
 * came to the end.
 */
export async function storeMissingFeatures(
  { traces, worker }: StoreMissingDependencies,
  projectId: ProjectId,
  listed: readonly TraceVersion[],
  onShare: (share: number) => void = () => undefined,
  mostParts = Infinity,
): Promise<boolean> {
  let parts = 0
  for (let from = 0; from < listed.length; from += ASKED_TOGETHER) {
    onShare(from / listed.length)
    const part = listed.slice(from, from + ASKED_TOGETHER).map(({ id, version }) => ({ id, version }))
    const missing = await worker.ask('lacking', { projectId, traces: part })
    if (missing.length === 0) continue
    const versions = new Map(part.map((trace) => [trace.id, trace]))
    for await (const steps of traces.steps(projectId, missing)) {
      if (parts++ === mostParts) return false
      const ids = idsOf(steps)
      const kept = ids.flatMap((id) => versions.get(id) ?? [])
      await worker.ask('keep', { projectId, traces: kept, steps })
      for (const id of ids) versions.delete(id)
    }
    const without = missing.flatMap((id) => versions.get(id) ?? [])
    if (without.length > 0) await worker.ask('keep', { projectId, traces: without, steps: [] })
  }
  return true
}

function idsOf(steps: readonly StepRow[]) {
  return [...new Set(steps.map(([traceId]) => traceId))]
}
