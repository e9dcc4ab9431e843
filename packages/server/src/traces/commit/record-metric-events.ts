import type { MetricEventRecord, MetricEventVerdict } from '../../ports/journal/metric-event.ts'
import type { KeyId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { Masking } from '@spoor/contract/schemas/masking'
import { compileMasking, ignoreHit, type Masker } from '../../lib/masking/masker.ts'
import { NO_UNKNOWNS } from '../../ports/log/log.ts'
import type { GroupCommitter } from './group-committer.ts'
import { type NewScore, planEvents, planRemoval, unknownTrace } from './plan/events.ts'
import type { LocateDependencies } from './locate.ts'

export interface RecordMetricEventsDependencies extends LocateDependencies {
  readonly committer: Pick<GroupCommitter, 'submit'>
  /** What the project masks now; null: nothing. */
  readonly maskingOf: (projectId: ProjectId) => Promise<Masking | null>
}

/** Callers split larger batches. */
const MOST_METRIC_EVENTS = 1000
/** Approximate memory of a waiting event, without its client-defined texts, bytes. */
const EVENT_OVERHEAD_BYTES = 700

/**
 * Records metric events that are valid by the definition of their metric. They are durable and readable when it
 * resolves. Verdicts come in order, and an invalid event affects no other. Throws DomainError if nothing was written;
 * then the whole call can be retried.
 */
export async function recordMetricEvents(
  dependencies: RecordMetricEventsDependencies,
  projectId: ProjectId,
  sent: readonly NewScore[],
  createdBy: KeyId | null = null,
): Promise<readonly MetricEventVerdict[]> {
  if (sent.length > MOST_METRIC_EVENTS) {
    throw new RangeError(`${sent.length} metric events in one call: the limit is ${MOST_METRIC_EVENTS}`)
  }
  const { committer } = dependencies
  const masker = await compileMasking(await dependencies.maskingOf(projectId))
  const scores = masker === null ? sent : sent.map((score) => maskScore(score, masker))
  const held = await holdTraces(dependencies, projectId, scores)
  try {
    const onTraces = scores.filter(({ traceId }) => held.metadataBytes.has(traceId))
    const missing = await missingSteps(dependencies, projectId, onTraces)
    const accepted = onTraces.filter((score) => !missing.has(nameOf(score)))
    const bytes = scoreBytes(accepted, (traceId) => held.metadataBytes.get(traceId) ?? 0)
    const recorded =
      accepted.length === 0
        ? []
        : await committer.submit({
            owner: projectId,
            bytes,
            unknowns: { metricEventKeys: keysOf(accepted) },
            apply: (batch) => planEvents(batch, accepted, createdBy),
          })
    let next = 0
    return scores.map((score): MetricEventVerdict => {
      if (!held.metadataBytes.has(score.traceId)) return unknownTrace(score.traceId)
      if (missing.has(nameOf(score))) return unknownStep(score)
      return recorded[next++] as MetricEventVerdict
    })
  } finally {
    held.release()
  }
}

/** An event does not change its trace, so what is masked in it is not counted there. */
export function maskScore(score: NewScore, masker: Masker): NewScore {
  const comment = score.comment && masker.text(score.comment, 'comment', ignoreHit)
  return { ...score, comment, metadata: masker.json(score.metadata, 'metadata', ignoreHit) }
}

/** When it resolves, no read returns the event. Its bytes leave the disk later. */
export async function removeMetricEvent(
  { committer }: Pick<RecordMetricEventsDependencies, 'committer'>,
  event: MetricEventRecord,
): Promise<void> {
  await committer.submit({
    owner: event.projectId,
    bytes: EVENT_OVERHEAD_BYTES,
    apply: (batch) => planRemoval(batch, event),
  })
}

interface HeldTraces {
  /** One entry for each trace that exists. */
  readonly metadataBytes: ReadonlyMap<TraceId, number>
  release(): void
}

/** Starts all look-ups at once, so that they share queries. */
async function holdTraces(
  { cache }: RecordMetricEventsDependencies,
  projectId: ProjectId,
  scores: readonly NewScore[],
): Promise<HeldTraces> {
  const metadataBytes = new Map<TraceId, number>()
  const release = () => {
    for (const id of metadataBytes.keys()) cache.release(id)
  }
  const holding = [...new Set(scores.map(({ traceId }) => traceId))].map(async (id) => {
    const trace = await cache.hold(projectId, id)
    if (trace !== null) metadataBytes.set(id, trace.metadata.length)
  })
  const failure = (await Promise.allSettled(holding)).find((result) => result.status === 'rejected')
  if (failure !== undefined) {
    release()
    throw failure.reason
  }
  return { metadataBytes, release }
}

/** Keys of the referenced steps that are not committed. */
async function missingSteps(
  { log, store, watermark }: RecordMetricEventsDependencies,
  projectId: ProjectId,
  scores: readonly NewScore[],
): Promise<ReadonlySet<string>> {
  const named = new Map<string, { readonly traceId: TraceId; readonly stepId: StepId }>()
  for (const { traceId, stepId } of scores)
    if (stepId !== null) named.set(nameOf({ traceId, stepId }), { traceId, stepId })
  if (named.size === 0) return new Set()
  // The journal knows steps whose id the client chose.
  const stepKeys = [...named.values()].map(({ traceId, stepId }) => ({ traceId, key: `i${stepId}` }))
  const known = await log.lookUp({ ...NO_UNKNOWNS, stepKeys })
  const missing = new Map(
    [...named].filter(([, { traceId, stepId }]) => known.stepKey(traceId, `i${stepId}`) === undefined),
  )
  if (missing.size === 0) return new Set()
  const found = await store.findStepsAmong(projectId, [...missing.values()], watermark().version)
  for (const step of found) missing.delete(nameOf(step))
  return new Set(missing.keys())
}

function nameOf({ traceId, stepId }: { readonly traceId: TraceId; readonly stepId: StepId | null }): string {
  return `${traceId}${stepId ?? ''}`
}

export function keysOf(scores: readonly NewScore[]): { readonly traceId: TraceId; readonly key: string }[] {
  return scores.flatMap(({ traceId, idempotencyKey: key }) => (key === null ? [] : [{ traceId, key }]))
}

/** Approximate memory that they hold while they wait, bytes. `metadataBytes`: of the metadata of their trace. */
export function scoreBytes(scores: readonly NewScore[], metadataBytes: (traceId: TraceId) => number): number {
  return scores.reduce((sum, { traceId, metadata, comment, idempotencyKey }) => {
    const texts = (comment?.length ?? 0) + (idempotencyKey?.length ?? 0)
    // The terms of the trace's metadata are stored with the event again.
    return sum + EVENT_OVERHEAD_BYTES + metadata.length + texts + metadataBytes(traceId)
  }, 0)
}

function unknownStep({ traceId, stepId }: NewScore): MetricEventVerdict {
  return { status: 'error', code: 'unknown_step', detail: `Trace ${traceId} has no step ${stepId}.` }
}
