import type { JournalFeed } from '../../journal/journal-feed.ts'
import type { ByteBudget } from '../../lib/flow/byte-budget.ts'
import type { ByteGate } from '../../lib/flow/byte-gate.ts'
import type { IdGenerator } from '../../lib/ids/ids.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { WorkTurns } from '../../lib/flow/work-turns.ts'
import type { Metrics } from '../../operation/metrics.ts'
import { SortedWalks } from '../../traces/read/sorted-walks.ts'
import type { RecordEvaluations } from '../../traces/otlp/take-export.ts'
import type { SpanMediaStore } from '../../traces/otlp/staged-media.ts'
import { createRates } from '../../pricing/pricer.ts'
import { contextLimits } from '../../pricing/find-price.ts'
import type { ClusterMembers } from '../../traces/read/cluster-members.ts'
import { UnfoundedValues } from '../../traces/insight/unfounded-values.ts'
import { createTraceService, type TraceService } from '../../traces/trace-service.ts'
import { startParseThread } from '../../traces/parse-thread/start-parse-thread.ts'
import type { Watermark } from '../../ports/log/log.ts'
import type { Environment } from './environment.ts'
import { metricIdsOf } from './metric-ids-of.ts'
import type { ServiceStores } from './service-stores.ts'

interface TraceParts extends Pick<
  ServiceStores,
  'control' | 'store' | 'engine' | 'openLog' | 'onCommitError' | 'disk' | 'damage' | 'nodes'
> {
  readonly members: ClusterMembers
  readonly feed: JournalFeed
  readonly ids: IdGenerator
  readonly ingestBudget: ByteBudget
  readonly work: WorkTurns
  readonly answers: ByteGate
  readonly instruments: Metrics
  readonly recordEvaluations: RecordEvaluations
  /** For bytes inside spans. */
  readonly spanMedia: Pick<SpanMediaStore, 'store' | 'release'>
}

export interface StartedTraces extends TraceService {
  watermark(): Watermark
  readonly values: UnfoundedValues
}

/** Traces, and the one committer for everything durable. */
export function startTraces({ config, clock, listedPrices }: Environment, parts: TraceParts): StartedTraces {
  const { control, feed, ids, disk, damage, nodes, instruments, onCommitError } = parts
  const { journal, media } = control
  const walks = nodes === undefined ? new SortedWalks(clock.now()) : SortedWalks.ofSeveralNodes()
  const log = parts.openLog({ walks, metrics: instruments.commits })
  const service = createTraceService({
    ...parts,
    log,
    walks,
    journal,
    clock,
    newTraceId: () => ids.newId('tr'),
    newStepId: () => ids.newId('st'),
    newMetricEventId: () => ids.newId('mev'),
    newAttachmentId: () => ids.newId('med'),
    media: { existing: (projectId, hashes) => media.existing(projectId, hashes), ...parts.spanMedia },
    spanFilter: async (projectId) => (await control.projects.find(projectId))?.spanFilter ?? 'keep',
    maskingOf: async (projectId) => (await control.projects.find(projectId))?.masking ?? null,
    clusters: parts.members,
    ratesOf: createRates(control.prices, listedPrices),
    contextLimit: contextLimits(listedPrices),
    metricIdOf: metricIdsOf(control),
    limits: config.limits,
    fullText: config.fullText,
    maxQueueBytes: config.queueMaxBytes,
    lostVersion: (projectId, traceId) => damage?.lostVersion(projectId, traceId) ?? null,
    metrics: instruments.commits,
    intakeBlock: () => disk?.commitRefusal() ?? null,
    makeRoom: () => disk?.makeRoom(),
    onError: onCommitError,
    startParseThread,
    timers: systemTimers,
  })
  const values = new UnfoundedValues({
    traces: service.useCases,
    work: parts.work,
    write: service.writeUnfounded,
  })
  log.subscribe({ committed: (commit) => values.committed(commit) })
  // After the caches of the service, so that a woken listener reads what was committed.
  log.subscribe({
    committed({ rows }) {
      try {
        feed.publish(rows)
      } catch (error) {
        onCommitError(error, 'publishing a commit failed')
      }
    },
  })
  return {
    ...service,
    values,
    watermark: () => log.watermark(),
    async close() {
      await service.close()
      await log.close()
    },
  }
}
