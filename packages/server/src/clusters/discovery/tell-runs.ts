import type { ClusterRunEvents } from '../../ports/journal/journal.ts'
import type { PrintClusterNews } from '../../ports/clusters/cluster.ts'
import type { ClusterStore } from '../../ports/clusters/cluster-store.ts'

export interface TellRunsDependencies {
  readonly clusters: Pick<ClusterStore, 'untold' | 'markTold'>
  /** Resolves when the events are durable, now or since before. */
  readonly commitClusterRun: (run: ClusterRunEvents) => Promise<void>
  readonly print: PrintClusterNews
}

const TOLD_TOGETHER = 10

/**
 * Writes what runs found to the journal, each run once: where a process died after it, before it could mark the run, or
 * another process is at it, the journal knows the run.
 */
export async function tellRuns({ clusters, commitClusterRun, print }: TellRunsDependencies): Promise<void> {
  for (;;) {
    const untold = await clusters.untold(TOLD_TOGETHER)
    for (const { run, news } of untold) {
      const events = news.map((one) => ({
        type: `cluster.${one.kind}` as const,
        clusterId: one.cluster.id,
        data: print(one),
      }))
      await commitClusterRun({ projectId: run.projectId, runId: run.id, events })
      await clusters.markTold(run.id)
    }
    if (untold.length < TOLD_TOGETHER) return
  }
}
