import { setImmediate as nextTurn } from 'node:timers/promises'
import type { MetricEventRecord, MetricEventVerdict } from '../ports/journal/metric-event.ts'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { AttachmentId, KeyId, MetricEventId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { OnceEvents, Journal } from '../ports/journal/journal.ts'
import type { MonitorTransition } from '../ports/journal/monitor-transition.ts'
import type { TraceRecord, UnfoundedValue } from '../ports/traces/trace-record.ts'
import type { ByteBudget } from '../lib/flow/byte-budget.ts'
import type { ByteGate } from '../lib/flow/byte-gate.ts'
import type { DomainError } from '../lib/domain-error.ts'
import { idAtTime } from '../lib/ids/ids.ts'
import type { Timers } from '../lib/time/timers.ts'
import type { WorkTurns } from '../lib/flow/work-turns.ts'
import { appendSteps } from './intake/append-steps.ts'
import { completeQuiet } from './commit/complete-quiet.ts'
import {
  deleteForGood,
  deleteTrace,
  findRestorable,
  patchTrace,
  restoreTrace,
  writeUnfounded,
} from './commit/change-trace.ts'
import { type ClusterMembers, NO_CLUSTERS } from './read/cluster-members.ts'
import type { CommitMetrics } from './commit/commit-metrics.ts'
import { createCommitTrace } from './intake/commit-trace.ts'
import { createImportTrace } from './intake/import-trace.ts'
import { GroupCommitter } from './commit/group-committer.ts'
import { listTraces, type ListTracesDependencies } from './read/list-traces.ts'
import { LargeBodies, type ParseThread } from './parse-thread/large-bodies.ts'
import { createLocate, type Locate } from './commit/locate.ts'
import type { NewScore } from './commit/plan/events.ts'
import { findStep } from './read/find-step.ts'
import { matchingAmong } from './read/matching-among.ts'
import { listSteps, readTrace } from './read/read-trace.ts'
import { recordMetricEvents, removeMetricEvent } from './commit/record-metric-events.ts'
import { previewMasking } from './read/preview-masking.ts'
import { refuseTakenStepIds } from './intake/taken-step-ids.ts'
import { createTakeExport, findAlias, type TakeExportDependencies } from './otlp/take-export.ts'
import { TraceCache } from './commit/trace-cache.ts'
import type { ContextLimit } from '../ports/prices/bill.ts'
import { loadUsageTree } from './commit/load-usage-tree.ts'
import type { Log } from '../ports/log/log.ts'
import type { TraceReads } from '../ports/traces/trace-store.ts'
import { DeletedRuns } from './read/deleted-runs.ts'
import type { TraceUseCases } from './use-cases.ts'

export interface TraceServiceDependencies
  extends
    Pick<TakeExportDependencies, 'spanFilter' | 'maskingOf' | 'limits' | 'media' | 'recordEvaluations'>,
    Pick<ListTracesDependencies, 'walks' | 'ratesOf' | 'metricIdOf' | 'fullText' | 'clock'> {
  readonly contextLimit: ContextLimit
  readonly log: Log
  readonly store: TraceReads
  readonly journal: Journal
  readonly newTraceId: () => TraceId
  readonly newStepId: () => StepId
  readonly newMetricEventId: () => MetricEventId
  readonly newAttachmentId: () => AttachmentId
  /** For the list's cluster filter; absent when the service has no clusters. */
  readonly clusters?: ClusterMembers
  readonly maxQueueBytes: number
  /** Shared by all requests that hold bytes of bodies. */
  readonly ingestBudget: ByteBudget
  /** Shared by all requests: bodies are parsed in time slices. */
  readonly work: WorkTurns
  /** Shared by all running responses. */
  readonly answers: ByteGate
  /** The latest version of a trace whose row is known to be lost; null when none is. */
  readonly lostVersion: (projectId: ProjectId, traceId: TraceId) => number | null
  readonly metrics: CommitMetrics
  readonly intakeBlock: () => DomainError | null
  /** Called before a deletion is accepted; see GroupCommitterDependencies. Absent where a full disk is impossible. */
  readonly makeRoom?: () => void
  readonly onError: (error: unknown, message: string) => void
  /** For large bodies and lines. */
  readonly startParseThread: () => ParseThread
  readonly timers: Timers
}

export interface TraceService {
  readonly useCases: TraceUseCases
  /** For parts that attach something to traces and steps. */
  readonly locate: Locate
  /** For metrics; see record-metric-events.ts. At most 1,000 in one call. */
  recordMetricEvents(
    projectId: ProjectId,
    scores: readonly NewScore[],
    createdBy?: KeyId | null,
  ): Promise<readonly MetricEventVerdict[]>
  removeMetricEvent(event: MetricEventRecord): Promise<void>
  /** A deleted trace whose rows are there, because its deletion could be undone; null if there is none. */
  findRestorable(projectId: ProjectId, traceId: TraceId): Promise<TraceRecord | null>
  /** Makes such a deletion final. A trace that is not deleted, or that `isWanted` refuses, stays as it is. */
  deleteForGood(projectId: ProjectId, traceId: TraceId, isWanted: (trace: TraceRecord) => boolean): Promise<void>
  /**
   * Resolves when the transition is durable or the journal has rejected it. Rejects as any write does; then nothing was
   * stored.
   */
  commitTransition(transition: MonitorTransition): Promise<void>
  /** Resolves when the events of a discovery are durable, now or since an earlier call. Rejects as any write does. */
  commitOnce(once: OnceEvents): Promise<void>
  /** See change-trace.ts. */
  writeUnfounded(
    trace: Pick<TraceRecord, 'projectId' | 'id' | 'version'>,
    values: readonly UnfoundedValue[],
  ): Promise<boolean>
  /** See complete-quiet.ts. */
  completeQuiet(version: number, owns?: (projectId: ProjectId) => boolean): Promise<boolean>
  /** Why a body of about this many bytes could not be committed now, or null; see `GroupCommitter.refusal`. */
  refusal(bytes: number): DomainError | null
  /** Refuses new writes and resolves when the waiting ones are committed. */
  close(): Promise<void>
}

/** Approximate limit of one commit, bytes. The engine needs about ten times as much for a moment. */
const MAX_COMMIT_BYTES = 8 * 1024 * 1024
/** The rows, keys and events of this many small traces are written and shown in about 20 ms of the event loop. */
const MAX_COMMIT_OPERATIONS = 256
/** Limit for latest versions of traces that are being written. */
const CACHE_BYTES = 6 * 1024 * 1024
/** Approximate size of a transition or a cluster event, without its text. */
const TRANSITION_BYTES = 512

export function createTraceService(dependencies: TraceServiceDependencies): TraceService {
  const { log, store, limits, contextLimit } = dependencies
  const cache = new TraceCache(
    CACHE_BYTES,
    (projectId, ids) => store.findTraces(projectId, ids, log.watermark().version),
    (trace) => loadUsageTree(store, trace, contextLimit),
  )
  const committer: GroupCommitter = new GroupCommitter(
    {
      ...dependencies,
      cache,
      newId: dependencies,
      mostAttachments: limits.attachmentsPerTrace,
      metadataLimits: limits,
      makeRoom: dependencies.makeRoom ?? (() => undefined),
    },
    {
      maxQueueBytes: dependencies.maxQueueBytes,
      maxCommitBytes: MAX_COMMIT_BYTES,
      maxCommitOperations: MAX_COMMIT_OPERATIONS,
      now: () => performance.now(),
    },
  )
  const watermark = () => log.watermark()
  const largeBodies = new LargeBodies({
    ...dependencies,
    startThread: dependencies.startParseThread,
    nextTurn: () => nextTurn(),
  })
  const parts = { ...dependencies, watermark, committer, cache, largeBodies, budget: dependencies.ingestBudget }
  const refuseTaken = refuseTakenStepIds.bind(null, parts)
  const listing = {
    ...parts,
    deletedRuns: deletedRunsOf(log),
    clusters: dependencies.clusters ?? NO_CLUSTERS,
    lowestIdAt: (ms: number) => idAtTime('tr', ms),
  }
  const newestTraces = async (projectId: ProjectId, limit: number) => {
    const order = { sort: 'created_at', order: 'desc', limit, cursor: null } as const
    const any = { ...toTraceFilters('lists', {}), metadata: [], startTime: null, endTime: null, text: null }
    return (await listTraces(listing, { projectId, ...any, ...order })).traces.map(({ id }) => id)
  }
  return {
    useCases: {
      commit: createCommitTrace(parts),
      importPart: createImportTrace(parts),
      append: (request) => appendSteps({ ...parts, refuseTakenStepIds: refuseTaken }, request),
      takeExport: createTakeExport(parts),
      findOtelTrace: (projectId, otelTraceId) =>
        findAlias(log, projectId, otelTraceId.replaceAll('-', '').toLowerCase()),
      list: (query) => listTraces(listing, query),
      matching: (query, traceIds) => matchingAmong(listing, query, traceIds),
      read: (projectId, traceId, withSteps) => readTrace(parts, projectId, traceId, withSteps),
      listSteps: (query) => listSteps(parts, query),
      findStep: (projectId, stepId) => findStep(parts, projectId, stepId),
      previewMasking: (projectId, masking, traces) =>
        previewMasking({ ...parts, newestTraces }, projectId, masking, traces),
      patch: (projectId, traceId, change) => patchTrace(parts, projectId, traceId, change),
      delete: (projectId, traceId, deletion) => deleteTrace(parts, projectId, traceId, deletion),
      restore: (projectId, traceId) => restoreTrace(parts, projectId, traceId),
    },
    findRestorable: (projectId, traceId) => findRestorable(parts, projectId, traceId),
    deleteForGood: (projectId, traceId, isWanted) => deleteForGood(parts, projectId, traceId, isWanted),
    locate: createLocate(parts),
    recordMetricEvents: (projectId, scores, createdBy) => recordMetricEvents(parts, projectId, scores, createdBy),
    removeMetricEvent: (event) => removeMetricEvent(parts, event),
    commitTransition: (transition) =>
      committer.submit({
        owner: 'service',
        bytes: TRANSITION_BYTES + Buffer.byteLength(transition.monitor),
        apply: (batch) => batch.recordTransition(transition),
      }),
    commitOnce: (once) =>
      committer.submit({
        owner: 'service',
        bytes: once.events.reduce(
          (sum, event) => sum + TRANSITION_BYTES + ('data' in event ? event.data.length : 0),
          0,
        ),
        apply: (batch) => batch.recordOnce(once),
      }),
    writeUnfounded: (trace, values) => writeUnfounded(parts, trace, values),
    completeQuiet: (version, owns) => completeQuiet(parts, version, owns),
    refusal: (bytes) => committer.refusal(bytes),
    close: async () => {
      await committer.close()
      await largeBodies.close()
    },
  }
}

function deletedRunsOf(log: Log): DeletedRuns {
  const runs = new DeletedRuns(log.watermark().lastTraceId)
  log.subscribe({
    committed: ({ plan }) => runs.committed(plan.traces),
    missed: (isOf) => runs.missed(isOf, log.watermark().lastTraceId),
  })
  return runs
}
