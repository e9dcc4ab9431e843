import { DEFAULT_EVERY_HOURS, DISCOVERY_DEFAULTS } from '@spoor/contract/schemas/cluster'
import { type Clusters, createClusters } from '../../../clusters/clusters.ts'
import { threadsOf } from '../../../clusters/worker/start-thread.ts'
import { printClusterNews } from '../../../wire/cluster-to-wire.ts'
import type { JournalFeed } from '../../../journal/journal-feed.ts'
import type { IdGenerator } from '../../../lib/ids/ids.ts'
import { systemTimers } from '../../../lib/time/timers.ts'
import { openClusterStore, type OpenClusterStore } from '../../../storage/sql/clusters/open-cluster-store.ts'
import type { ControlStore } from '../../../storage/sql/open-control-store.ts'
import { ClickHouseClusterTraces } from '../../../storage/clickhouse/rows/clickhouse-cluster-traces.ts'
import type { LoggedTraceStore } from '../../../storage/embedded/logged-trace-store.ts'
import type { TelemetryEngine } from '../../../storage/clickhouse/engine/telemetry-engine.ts'
import type { TraceService } from '../../../traces/trace-service.ts'
import type { ClusterThreadData } from '../cluster-thread.ts'
import type { Environment } from '../environment.ts'

type ClusterEnvironment = Pick<Environment, 'dataDir' | 'clock' | 'logger'> & {
  readonly config: Pick<Environment['config'], 'embeddings' | 'naming'>
}

interface ClusterParts {
  readonly control: Pick<ControlStore, 'journal'>
  readonly engine: TelemetryEngine
  readonly store: Pick<LoggedTraceStore, 'settled' | 'findTraces'>
  readonly traces: Pick<TraceService, 'commitClusterRun'>
  readonly feed: Pick<JournalFeed, 'subscribe'>
  readonly ids: IdGenerator
  /** Opened before the traces, whose feed queries it for members. */
  readonly clusterStore: OpenClusterStore
}

/** Where clusters are stored, in the data folder. */
export function openClusters({ dataDir, clock, logger }: Omit<ClusterEnvironment, 'config'>): OpenClusterStore {
  return openClusterStore({
    dataDir,
    clock,
    pause: (ms) => new Promise((wake) => systemTimers.after(ms, wake)),
    onReadError: (error) => logger.error({ error }, 'the store of clusters could not be read'),
  })
}

/**
 * Clusters, to be started once the service answers. Stop them before the committer closes, and close their store after.
 */
export function startClusters({ config, dataDir, clock, logger }: ClusterEnvironment, parts: ClusterParts): Clusters {
  const { control, engine, store, traces, feed, ids, clusterStore } = parts
  const { journal } = control
  const threadData: ClusterThreadData = { dataDir, embeddings: config.embeddings, naming: config.naming }
  return createClusters({
    ...clusterStore,
    holder: HOLDER,
    traces: new ClickHouseClusterTraces({
      engine,
      settled: () => store.settled(),
      idLeadMs: () => journal.idLeadMs(),
    }),
    async namesOf(projectId, traceIds) {
      const found = await store.findTraces(projectId, traceIds, journal.last().version)
      return new Map(found.filter(({ deleted }) => !deleted).map(({ id, name }) => [id, name]))
    },
    journal,
    subscribe: (listener) => feed.subscribe(listener),
    commitClusterRun: traces.commitClusterRun,
    print: printClusterNews,
    startThread: threadsOf(new URL('../cluster-thread.ts', import.meta.url), threadData),
    clock,
    timers: systemTimers,
    newJobId: () => ids.newId('job'),
    defaults: {
      everyHours: DEFAULT_EVERY_HOURS,
      parameters: {
        windowHours: DISCOVERY_DEFAULTS.window_hours,
        kMin: DISCOVERY_DEFAULTS.k_min,
        kMax: DISCOVERY_DEFAULTS.k_max,
      },
    },
    breathe: () => new Promise((go) => setImmediate(go)),
    onError: (error, message) => logger.error({ error }, message),
  })
}

/**
 * A data folder belongs to one service at a time, so a restarted service takes over the jobs of its predecessor without
 * waiting for the ends of their leases.
 */
const HOLDER = 'the service of this folder'
