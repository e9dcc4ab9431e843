import type { ProjectId } from '@spoor/contract/ids'
import { NO_CLUSTER } from '@spoor/contract/trace-filters'
import { greatestId } from '../../lib/ids/ids.ts'
import type { ClusterStore } from '../../ports/clusters/cluster-store.ts'
import type { ClusterTraces } from '../../ports/clusters/cluster-traces.ts'
import type { ClusterUseCases } from '../use-cases.ts'
import { packIds } from '../worker/pack-ids.ts'
import { storeMissingFeatures, type StoreMissingDependencies } from './store-missing-features.ts'

export interface NeighbourDependencies extends StoreMissingDependencies {
  readonly traces: ClusterTraces
  readonly clusters: Pick<ClusterStore, 'currentRun' | 'countAmong'>
  /** See AssignNewTraces. */
  readonly catchUp: (projectId: ProjectId) => Promise<void>
}

export type Neighbours = Pick<ClusterUseCases, 'clusterOf' | 'similar'>

/** Parts of steps that one request reads, each of about a megabyte. */
const MOST_PARTS = 30

export function createNeighbours(dependencies: NeighbourDependencies): Neighbours {
  const { traces, clusters, worker, catchUp } = dependencies
  return {
    async clusterOf(projectId, traceId) {
      await catchUp(projectId)
      const run = await clusters.currentRun(projectId)
      if (run === undefined) return null
      const [cluster = NO_CLUSTER] = (await clusters.countAmong(run, [traceId])).keys()
      return cluster === NO_CLUSTER ? null : cluster
    },

    async similar(projectId, trace, among) {
      // `steps` returns what the last `list` saw.
      const lastOne = { lowestId: trace.id, highestId: greatestId('tr'), createdFrom: 0 } as const
      await traces.list({ projectId, ...lastOne, order: 'desc', limit: 1 })
      await storeMissingFeatures(dependencies, projectId, [trace, ...among], undefined, MOST_PARTS)
      const ids = packIds(among.map(({ id }) => id))
      return worker.ask('similar', { setId: projectId, traceId: trace.id, among: ids })
    },
  }
}
