import { systemRandomBytes } from '../../lib/ids/random.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { EmbeddedLog } from '../../storage/embedded/embedded-log.ts'
import { openSigningKey } from '../../storage/signing-key.ts'
import type { Parts } from '../start/parts.ts'
import { idsAfter } from '../start/start-service.ts'
import type { Disk, LogDependencies, ServiceStores } from '../start/service-stores.ts'
import type { EmbeddedEnvironment } from './embedded-environment.ts'
import { openBlobStore } from './open-blob-store.ts'
import { clusterThreads } from './open-clusters.ts'
import type { OpenStores } from './open-stores.ts'

/**
 * A data folder belongs to one service at a time, so a restarted service takes over leases and jobs of its predecessor
 * without waiting for their ends.
 */
const HOLDER = 'the service of this folder'

/** The stores of a data folder as the service takes them. */
export async function serviceStoresOf(
  stores: OpenStores,
  environment: EmbeddedEnvironment,
  parts: Parts,
): Promise<ServiceStores> {
  const { config, dataDir, logger } = environment
  const { control, deliveries, clusterStore, store, merges, readiness, journalLostChanges } = stores
  const { blobs } = await parts.start('blobs', () => openBlobStore(environment))
  readiness.report('store', null)
  readiness.report('engine', null)
  const disk = diskOf(stores)
  const onCommitError = (error: unknown, message: string) => {
    logger.error({ error }, message)
    readiness.report('store', message)
  }
  return {
    ...stores,
    blobs,
    ids: idsAfter(control.journal.last().lastTraceId, environment),
    openLog: ({ walks, metrics }: LogDependencies) =>
      new EmbeddedLog({
        rows: store,
        journal: control.journal,
        lookUps: {
          traceKey: (projectId, key) => control.journal.findTraceKey(projectId, key),
          stepKey: (traceId, key) => control.journal.findStepKey(traceId, key),
          metricEventKey: (traceId, key) => control.journal.findMetricEventKey(traceId, key),
          hasMedia: (projectId, sha256) => control.journal.hasMedia(projectId, sha256),
          attachmentsOf: (traceId) => control.journal.attachmentsOf(traceId),
        },
        keepSuperseded: () => walks.underWay(environment.clock.now()),
        diskRefusal: disk.commitRefusal,
        onError: onCommitError,
        onFailed: () => metrics.commitFailed(),
        onRepaired: () => {
          logger.warn('the store is repaired: intake is open')
          readiness.report('store', null)
        },
        pause: (ms) => new Promise((wake) => systemTimers.after(ms, wake)),
      }),
    onCommitError,
    startClusterThread: clusterThreads(dataDir, config),
    holder: HOLDER,
    uploadOwner: 'embedded',
    signingKey: config.signingKey ?? openSigningKey(dataDir, systemRandomBytes),
    keepPendingUploads: journalLostChanges,
    sizeBytes: async () =>
      (await store.sizeBytes()) + control.sizeBytes() + deliveries.sizeBytes() + clusterStore.sizeBytes(),
    purge: {
      emptyLogs: () => [control, deliveries, clusterStore].map((one) => one.emptyLog()).every(Boolean),
      onPurging: (isUnderWay) => merges.setPurging(isUnderWay),
    },
    disk,
  }
}

function diskOf({ guard, reserve }: Pick<OpenStores, 'guard' | 'reserve'>): Disk {
  return {
    commitRefusal: () => guard.refusal() ?? reserve.refusal(),
    refusal: (announcedBytes) => guard.refusal(announcedBytes),
    makeRoom: () => reserve.makeRoom(),
    isFull: () => guard.problem() !== null || reserve.refusal() !== null,
  }
}
