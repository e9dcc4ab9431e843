import { DEFAULT_EVERY_HOURS, DISCOVERY_DEFAULTS } from '@spoor/contract/schemas/cluster'
import type { ClusterServiceDependencies } from '../../clusters/cluster-service.ts'
import { type Clusters, createClusters } from '../../clusters/clusters.ts'
import { printClusterNews, printClusterPattern } from '../../wire/cluster-to-wire.ts'
import type { Journal } from '../../ports/journal/journal.ts'
import type { ProjectStore } from '../../ports/access/project-store.ts'
import type { MetricStore } from '../../ports/metrics/metric-store.ts'
import type { Watermark } from '../../ports/log/log.ts'
import type { IdGenerator } from '../../lib/ids/ids.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { ClickHouseClusterTraces } from '../../storage/clickhouse/rows/clickhouse-cluster-traces.ts'
import type { FindPatterns } from '../../traces/insight/find-patterns.ts'
import { patternEventsOf } from '../../traces/insight/pattern-events.ts'
import type { TraceService } from '../../traces/trace-service.ts'
import type { Environment } from './environment.ts'
import type { ServiceStores } from './service-stores.ts'

interface ClusterParts extends Pick<ServiceStores, 'engine' | 'clusterStore' | 'holder' | 'startClusterThread'> {
  readonly control: {
    readonly journal: Pick<Journal, 'deletedAmong' | 'pendingPurges' | 'removedEvents'>
    readonly metrics: Pick<MetricStore, 'findByName'>
    readonly projects: Pick<ProjectStore, 'find'>
  }
  readonly store: Pick<ServiceStores['store'], 'settled' | 'findTraces'>
  readonly watermark: () => Watermark
  readonly traces: Pick<TraceService, 'commitOnce'>
  readonly findPatterns: FindPatterns
  readonly lookUp: ClusterServiceDependencies['lookUp']
  readonly ids: IdGenerator
}

/**
 * Clusters, to be started once the service answers. Stop them before the committer closes, and close their store after.
 */
export function startClusters({ clock, logger }: Pick<Environment, 'clock' | 'logger'>, parts: ClusterParts): Clusters {
  const { control, engine, store, traces, ids, clusterStore, watermark } = parts
  return createClusters({
    ...clusterStore,
    holder: parts.holder,
    traces: new ClickHouseClusterTraces({
      engine,
      settled: () => store.settled(),
      removedEvents: (projectId) => control.journal.removedEvents(projectId),
      idLeadMs: () => watermark().idLeadMs,
    }),
    inputPathOf: async (projectId) => (await control.projects.find(projectId))?.inputPath ?? null,
    async briefsOf(projectId, traceIds) {
      const found = await store.findTraces(projectId, traceIds, watermark().version)
      const stored = found.filter(({ deleted }) => !deleted)
      return new Map(
        stored.map(({ id, name, digest: { input, error, output } }) => [
          id,
          { name, requests: input?.text ?? null, failures: (error ?? output)?.text ?? null },
        ]),
      )
    },
    journal: control.journal,
    findMetric: (projectId, name) => control.metrics.findByName(projectId, name),
    lookUp: parts.lookUp,
    commitOnce: traces.commitOnce,
    patternEvents: patternEventsOf({ findPatterns: parts.findPatterns, print: printClusterPattern }),
    print: printClusterNews,
    startThread: parts.startClusterThread,
    clock,
    timers: systemTimers,
    newJobId: () => ids.newId('job'),
    defaults: {
      everyHours: DEFAULT_EVERY_HOURS,
      parameters: {
        windowHours: DISCOVERY_DEFAULTS.window_hours,
        kMin: DISCOVERY_DEFAULTS.k_min,
        kMax: DISCOVERY_DEFAULTS.k_max,
        onlyComplete: DISCOVERY_DEFAULTS.only_complete,
        failureBy: DISCOVERY_DEFAULTS.failure_by,
      },
    },
    breathe: () => new Promise((go) => setImmediate(go)),
    onError: (error, message) => logger.error({ error }, message),
  })
}
