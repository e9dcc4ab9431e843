import type { JournalFeed } from '../../../journal/journal-feed.ts'
import type { ByteBudget } from '../../../lib/flow/byte-budget.ts'
import type { ByteGate } from '../../../lib/flow/byte-gate.ts'
import type { IdGenerator } from '../../../lib/ids/ids.ts'
import { systemTimers } from '../../../lib/time/timers.ts'
import type { WorkTurns } from '../../../lib/flow/work-turns.ts'
import type { DeletionReserve } from '../../../operation/deletion-reserve.ts'
import type { DiskGuard } from '../../../operation/disk-guard.ts'
import type { Metrics } from '../../../operation/metrics.ts'
import type { Readiness } from '../../../operation/readiness.ts'
import type { OpenClusterStore } from '../../../storage/sql/clusters/open-cluster-store.ts'
import type { ControlStore } from '../../../storage/sql/open-control-store.ts'
import type { DamageRecord } from '../../../storage/clickhouse/damage/damage-record.ts'
import type { LoggedTraceStore } from '../../../storage/embedded/logged-trace-store.ts'
import { EmbeddedLog } from '../../../storage/embedded/embedded-log.ts'
import { SortedWalks } from '../../../traces/read/sorted-walks.ts'
import { createTraceService, type TraceService } from '../../../traces/trace-service.ts'
import { startParseThread } from '../../../traces/parse-thread/start-parse-thread.ts'
import type { Environment } from '../environment.ts'

interface TraceParts {
  readonly control: ControlStore
  readonly store: LoggedTraceStore
  readonly clusterStore: OpenClusterStore
  readonly feed: JournalFeed
  readonly ids: IdGenerator
  readonly ingestBudget: ByteBudget
  readonly work: WorkTurns
  readonly answers: ByteGate
  readonly guard: DiskGuard
  readonly reserve: DeletionReserve
  readonly instruments: Metrics
  readonly readiness: Readiness
  readonly damage: DamageRecord
}

/** Traces, and the one committer for everything durable. */
export function startTraces({ config, clock, logger }: Environment, parts: TraceParts): TraceService {
  const { control, store, clusterStore, feed, ids, guard, reserve, instruments, readiness, damage } = parts
  const { journal, media } = control
  const diskRefusal = () => guard.refusal() ?? reserve.refusal()
  const onError = (error: unknown, message: string) => {
    logger.error({ error }, message)
    readiness.report('store', message)
  }
  const walks = new SortedWalks(clock.now())
  const log = new EmbeddedLog({
    rows: store,
    journal,
    lookUps: {
      traceKey: (projectId, key) => journal.findTraceKey(projectId, key),
      stepKey: (traceId, key) => journal.findStepKey(traceId, key),
      metricEventKey: (traceId, key) => journal.findMetricEventKey(traceId, key),
      hasMedia: (projectId, sha256) => journal.hasMedia(projectId, sha256),
      attachmentsOf: (traceId) => journal.attachmentsOf(traceId),
    },
    keepSuperseded: () => walks.underWay(clock.now()),
    diskRefusal,
    onError,
    onFailed: () => instruments.commits.commitFailed(),
    onRepaired: () => {
      logger.warn('the store is repaired: intake is open')
      readiness.report('store', null)
    },
    pause: (ms) => new Promise((wake) => systemTimers.after(ms, wake)),
  })
  const service = createTraceService({
    log,
    walks,
    store,
    journal,
    clock,
    newTraceId: () => ids.newId('tr'),
    newStepId: () => ids.newId('st'),
    newMetricEventId: () => ids.newId('mev'),
    newAttachmentId: () => ids.newId('med'),
    media,
    clusters: clusterStore.clusters,
    limits: config.limits,
    fullText: config.fullText,
    maxQueueBytes: config.queueMaxBytes,
    ingestBudget: parts.ingestBudget,
    work: parts.work,
    answers: parts.answers,
    lostVersion: (projectId, traceId) => damage.lostVersion(projectId, traceId),
    metrics: instruments.commits,
    intakeBlock: diskRefusal,
    makeRoom: () => reserve.makeRoom(),
    onError,
    startParseThread,
    timers: systemTimers,
  })
  // After the caches of the service, so that a woken listener reads what was committed.
  log.subscribe({
    committed({ rows }) {
      try {
        feed.publish(rows)
      } catch (error) {
        onError(error, 'publishing a commit failed')
      }
    },
  })
  return {
    ...service,
    async close() {
      await service.close()
      await log.close()
    },
  }
}
