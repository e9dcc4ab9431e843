import { threadsOf } from '../../clusters/worker/start-thread.ts'
import type { StartThread } from '../../clusters/worker/worker-thread.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { openClusterStore, type OpenClusterStore } from '../../storage/sql/clusters/open-cluster-store.ts'
import type { ClusterThreadData } from './cluster-thread.ts'
import type { EmbeddedEnvironment } from './embedded-environment.ts'

/** Where clusters are stored, in the data folder. */
export function openClusters({
  dataDir,
  clock,
  logger,
}: Pick<EmbeddedEnvironment, 'dataDir' | 'clock' | 'logger'>): OpenClusterStore {
  return openClusterStore({
    dataDir,
    clock,
    pause: (ms) => new Promise((wake) => systemTimers.after(ms, wake)),
    onReadError: (error) => logger.error({ error }, 'the store of clusters could not be read'),
  })
}

/** Starts the thread that computes discoveries on that store. */
export function clusterThreads(
  dataDir: string,
  { embeddings, naming }: Pick<EmbeddedEnvironment['config'], 'embeddings' | 'naming'>,
): StartThread {
  const data: ClusterThreadData = { dataDir, embeddings, naming }
  return threadsOf(new URL('./cluster-thread.ts', import.meta.url), data)
}
