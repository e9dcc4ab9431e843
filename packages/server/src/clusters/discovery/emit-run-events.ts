import type { ClusterRunEvents } from '../../ports/journal/journal.ts'
import type { PrintClusterNews } from '../../ports/clusters/cluster.ts'
import type { ClusterStore } from '../../ports/clusters/cluster-store.ts'

export interface EmitRunEventsDependencies {
  readonly clusters: Pick<ClusterStore, 'pending' | 'markEmitted' | 'labels'>
  /** Resolves when the events are durable, from this call or an earlier one. */
  readonly commitClusterRun: (run: ClusterRunEvents) => Promise<void>
  readonly print: PrintClusterNews
}

const RUNS_TOGETHER = 10

/**
 * Writes the events of runs to the journal, once for each run. If a process died before it marked the run, or another
 * process does the same now, the journal knows the run.
 */
export async function emitRunEvents({ clusters, commitClusterRun, print }: EmitRunEventsDependencies): Promise<void> {
  for (;;) {
    const pending = await clusters.pending(RUNS_TOGETHER)
    for (const { run, news } of pending) {
      const labels = await clusters.labels(run.projectId)
      const events = news.map((one) => {
        const { id, label } = one.cluster
        const cluster = { ...one.cluster, label: labels.get(id) ?? label }
        return { type: `cluster.${one.kind}` as const, clusterId: id, data: print({ ...one, cluster }) }
      })
      await commitClusterRun({ projectId: run.projectId, runId: run.id, events })
      await clusters.markEmitted(run.id)
    }
    if (pending.length < RUNS_TOGETHER) return
  }
}
