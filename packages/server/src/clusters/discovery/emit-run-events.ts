import type { ProjectId } from '@spoor/contract/ids'
import type { ClusterKind } from '@spoor/contract/schemas/cluster'
import type { OnceEvents } from '../../ports/journal/journal.ts'
import type { Cluster, PrintClusterNews } from '../../ports/clusters/cluster.ts'
import { kindOfSet, projectOfSet } from '../../ports/clusters/cluster-set.ts'
import type { ClusterStore } from '../../ports/clusters/cluster-store.ts'

export interface EmitRunEventsDependencies {
  readonly clusters: Pick<ClusterStore, 'pending' | 'markEmitted' | 'labels' | 'clusters'>
  /** Resolves when the events are durable, from this call or an earlier one. */
  readonly commitOnce: (once: OnceEvents) => Promise<void>
  /** What failed runs of a cluster have that others have not. */
  readonly patternEvents: (
    projectId: ProjectId,
    cluster: Cluster,
    kind: ClusterKind,
    failureBy: string,
  ) => Promise<readonly OnceEvents[]>
  readonly print: PrintClusterNews
  readonly onError: (error: unknown, message: string) => void
}

const RUNS_TOGETHER = 10

/**
 * Writes the events of runs to the journal, once for each run, and once each pattern of their clusters. If a process
 * died before it marked the run, or another process does the same now, the journal knows the run.
 */
export async function emitRunEvents(dependencies: EmitRunEventsDependencies): Promise<void> {
  const { clusters, commitOnce, print, onError } = dependencies
  // Patterns are not worth holding up the events of other runs.
  const patternEvents: EmitRunEventsDependencies['patternEvents'] = async (...asked) => {
    try {
      return await dependencies.patternEvents(...asked)
    } catch (error) {
      onError(error, 'the patterns of a cluster could not be found')
      return []
    }
  }
  for (;;) {
    const pending = await clusters.pending(RUNS_TOGETHER)
    for (const { run, news } of pending) {
      const { setId, parameters } = run
      const [projectId, kind] = [projectOfSet(setId), kindOfSet(setId)]
      const labels = await clusters.labels(setId)
      const named = (cluster: Cluster) => ({ ...cluster, label: labels.get(cluster.id) ?? cluster.label })
      const events = news.map((one) => {
        const cluster = named(one.cluster)
        return { type: `cluster.${one.kind}` as const, clusterId: cluster.id, data: print({ ...one, cluster }, kind) }
      })
      await commitOnce({ projectId, key: run.id, events })
      for (const { cluster } of await clusters.clusters(run)) {
        const found = await patternEvents(projectId, named(cluster), kind, parameters.failureBy)
        for (const pattern of found) await commitOnce(pattern)
      }
      await clusters.markEmitted(run.id)
    }
    if (pending.length < RUNS_TOGETHER) return
  }
}
