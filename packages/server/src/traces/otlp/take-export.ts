import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { SpanFilter } from '@spoor/contract/schemas/project'
import { DomainError } from '../../lib/domain-error.ts'
import { freePassing } from '../../lib/flow/passing-bytes.ts'
import type { WorkTurns } from '../../lib/flow/work-turns.ts'
import type { StepKey } from '../../ports/journal/journal.ts'
import { type Log, NO_UNKNOWNS } from '../../ports/log/log.ts'
import {
  type PreparedExport,
  type PreparedSpan,
  preparedStepBytes,
  type RejectedSpans,
  type SpanEvaluation,
} from '../../ports/traces/prepared.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'
import {
  correctionKey,
  type HeldSpans,
  type SpanOptions,
  type SpansOutcome,
  traceSpanKey,
} from '../commit/commit-batch.ts'
import type { CommitMetrics } from '../commit/commit-metrics.ts'
import type { GroupCommitter } from '../commit/group-committer.ts'
import { patiently } from '../commit/submit-patiently.ts'
import type { TraceCache } from '../commit/trace-cache.ts'
import { LARGE_BODY_BYTES, type LargeBodies } from '../parse-thread/large-bodies.ts'
import type { ExportRequest, TraceUseCases } from '../use-cases.ts'
import { linkedMedia } from '../intake/linkable-media.ts'
import { keyForParent, keysOfOthers, withoutOthers } from './filter-spans.ts'
import { aliasHash, aliasKey } from './span-ids.ts'
import { type SpanMediaStore, withStagedMedia } from './staged-media.ts'

export type RecordEvaluations = (
  projectId: ProjectId,
  evaluations: readonly (SpanEvaluation & { readonly traceId: TraceId; readonly stepId: StepId })[],
) => Promise<readonly string[]>

export interface TakeExportDependencies {
  /** Which spans the project takes now. */
  readonly spanFilter: (projectId: ProjectId) => Promise<SpanFilter>
  readonly metrics: Pick<CommitMetrics, 'spansFiltered'>
  readonly committer: Pick<GroupCommitter, 'submit' | 'nextCommit'>
  readonly cache: Pick<TraceCache, 'hold' | 'release' | 'loadTree'>
  readonly log: Pick<Log, 'lookUp' | 'watermark'>
  readonly store: Pick<TraceReads, 'findStepHeads' | 'findSteps'>
  readonly limits: Limits
  /** Small bodies are decoded in time slices. */
  readonly work: WorkTurns
  /** Large bodies are decoded in a thread. */
  readonly largeBodies: Pick<LargeBodies, 'parseExport'>
  readonly media: SpanMediaStore
  /** Records evaluations of committed steps once, however often they come. Resolves with why some are not recorded. */
  readonly recordEvaluations: RecordEvaluations
}

/** Limits of one operation of a commit. */
const GROUP_BYTES = 1024 * 1024
const GROUP_SPANS = 2000
/** Keys of one look-up, which takes about a millisecond. */
const KEYS_TOGETHER = 500
/** Traces that are looked up and submitted together. Others have their turn between. */
const TRACES_TOGETHER = 100
/**
 * How often a group of spans is planned: once more when its trace turns out to exist, and for corrections whenever
 * another commit has changed the trace meanwhile.
 */
const MOST_TRIES = 20

/**
 * An export of spans (OTLP). Resolves when all that is taken is durable and readable. A request that is refused may be
 * sent again as it is: what of it has been stored is recognised.
 */
export function createTakeExport(dependencies: TakeExportDependencies): TraceUseCases['takeExport'] {
  return async (request) => {
    const { projectId } = request
    const { byTrace, media, rejected } = await parse(dependencies, request)
    freePassing(request.body)
    const marksParents = (await dependencies.spanFilter(projectId)) === 'agents_only'
    return withStagedMedia(dependencies.media, projectId, media, async (staged) => {
      const taken: TakenSpans[] = []
      for (let from = 0; from < byTrace.length; from += TRACES_TOGETHER) {
        const some = byTrace.slice(from, from + TRACES_TOGETHER)
        const aliasOf = await findAliases(
          dependencies.log,
          projectId,
          some.map(([otelTraceId]) => otelTraceId),
        )
        // Submitted together, they share commits.
        const ofSome = some.map(([otelTraceId, spans]) =>
          takeSpans(dependencies, { projectId, otelTraceId, staged, marksParents }, aliasOf(otelTraceId), spans),
        )
        taken.push(...(await Promise.all(ofSome)))
      }
      const notes = await recordAll(dependencies, projectId, taken)
      return withRefused(
        rejected,
        taken.flatMap(({ refused }) => refused),
        notes,
      )
    })
  }
}

function withRefused(
  { count, reasons }: RejectedSpans,
  refused: readonly string[],
  notes: readonly string[],
): RejectedSpans {
  return { count: count + refused.length, reasons: [...reasons, ...new Set(refused), ...notes] }
}

async function recordAll(
  dependencies: TakeExportDependencies,
  projectId: ProjectId,
  taken: readonly TakenSpans[],
): Promise<readonly string[]> {
  const evaluations = taken.flatMap(({ traceId, evaluations: own }) =>
    traceId === null ? [] : own.map((one) => ({ traceId, ...one })),
  )
  if (evaluations.length === 0) return []
  return patiently(dependencies, () => dependencies.recordEvaluations(projectId, evaluations))
}

interface ByTrace extends Omit<PreparedExport, 'spans'> {
  readonly byTrace: readonly [otelTraceId: string, PreparedSpan[]][]
}

async function parse(dependencies: TakeExportDependencies, request: ExportRequest): Promise<ByTrace> {
  const { spans, ...rest } = await parseSent(dependencies, request)
  return { byTrace: [...Map.groupBy(spans, (span) => span.otelTraceId)], ...rest }
}

/** The decoder is loaded with the first export, because most services get none. */
async function parseSent(
  { work, limits, largeBodies }: TakeExportDependencies,
  { projectId, body, encoding }: ExportRequest,
): Promise<PreparedExport> {
  if (body.length >= LARGE_BODY_BYTES) return largeBodies.parseExport(encoding, { projectId, bytes: body })
  const { parseExport } = await import('./parse-export.ts')
  return work.run(projectId, () => parseExport(projectId, body, encoding, limits))
}

interface OfTrace extends SpanOptions {
  readonly projectId: ProjectId
  readonly otelTraceId: string
}

interface TakenSpans {
  /** The trace that has the spans now; null when it is deleted. */
  readonly traceId: TraceId | null
  /** Why spans are refused for good, one reason for each. */
  readonly refused: readonly string[]
  /** Of the spans that the project takes. */
  readonly evaluations: readonly (SpanEvaluation & { readonly stepId: StepId })[]
}

/** Empties `sent`: what is committed need not be held while the rest is. */
async function takeSpans(
  dependencies: TakeExportDependencies,
  ofTrace: OfTrace,
  alias: TraceId | null,
  sent: PreparedSpan[],
): Promise<TakenSpans> {
  let traceId = alias
  const spans = ofTrace.marksParents ? await filtered(dependencies, traceId, sent) : sent
  const evaluations = spans.flatMap(({ step, evaluations: own }) =>
    own.map((one) => Object.assign({ stepId: step.id as StepId }, one)),
  )
  const refused: string[] = []
  while (spans.length > 0) {
    const taken = await takeGroup(dependencies, ofTrace, traceId, spans.splice(0, sizeOfGroup(spans)))
    traceId = taken.traceId
    refused.push(...taken.refused)
  }
  return { traceId, refused, evaluations }
}

/** Without the spans that are not about agents. */
async function filtered(
  { log, metrics }: TakeExportDependencies,
  traceId: TraceId | null,
  sent: readonly PreparedSpan[],
): Promise<PreparedSpan[]> {
  const known = traceId === null ? new Set<string>() : await knownAmong(log, traceId, keysOfOthers(sent))
  const spans = withoutOthers(sent, (key) => known.has(key))
  if (spans.length < sent.length) metrics.spansFiltered(sent.length - spans.length)
  return spans
}

/** In slices, between which others have their turn. */
async function knownAmong(
  log: Pick<Log, 'lookUp'>,
  traceId: TraceId,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  for (let from = 0; from < keys.length; from += KEYS_TOGETHER) {
    const slice = keys.slice(from, from + KEYS_TOGETHER)
    const found = await log.lookUp({ ...NO_UNKNOWNS, stepKeys: slice.map((key) => ({ traceId, key })) })
    for (const key of slice) if (found.stepKey(traceId, key) !== undefined) known.add(key)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return known
}

/** The trace of the project that OpenTelemetry knows by this id (32 lower-case hex digits). */
export async function findAlias(
  log: Pick<Log, 'lookUp'>,
  projectId: ProjectId,
  otelTraceId: string,
): Promise<TraceId | null> {
  return (await findAliases(log, projectId, [otelTraceId]))(otelTraceId)
}

async function findAliases(
  log: Pick<Log, 'lookUp'>,
  projectId: ProjectId,
  otelTraceIds: readonly string[],
): Promise<(otelTraceId: string) => TraceId | null> {
  const traceKeys = otelTraceIds.map((id) => ({ projectId, key: aliasKey(id) }))
  const known = await log.lookUp({ ...NO_UNKNOWNS, traceKeys })
  return (otelTraceId) => known.traceKey(projectId, aliasKey(otelTraceId))?.traceId ?? null
}

/** How many of these spans are committed together: at least one. */
function sizeOfGroup(spans: readonly PreparedSpan[]): number {
  let bytes = 0
  for (const [at, { step }] of spans.entries()) {
    bytes += preparedStepBytes(step)
    if (at > 0 && (bytes > GROUP_BYTES || at === GROUP_SPANS)) return at
  }
  return spans.length
}

async function takeGroup(
  dependencies: TakeExportDependencies,
  ofTrace: OfTrace,
  expected: TraceId | null,
  spans: readonly PreparedSpan[],
): Promise<Omit<TakenSpans, 'evaluations'>> {
  let held = expected
  let left = spans
  let corrects = false
  const refused: string[] = []
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const outcome = await commitHeld(dependencies, { ...ofTrace, held, spans: left, corrects })
    if (outcome.status === 'deleted') return { traceId: null, refused: left.map(() => 'the trace was deleted') }
    held = outcome.traceId
    if (outcome.status === 'not_held') continue
    refused.push(...outcome.refused)
    if (outcome.changed.length === 0) return { traceId: held, refused }
    left = outcome.changed
    corrects = true
  }
  const busy = 'Others keep writing to a trace of which spans are corrected; send the request again.'
  throw new DomainError('storage_unavailable', busy, { retryAfterSeconds: 1 })
}

interface SpanGroup extends OfTrace {
  readonly held: TraceId | null
  readonly spans: readonly PreparedSpan[]
  /** They have come before with other content. */
  readonly corrects: boolean
}

async function commitHeld(dependencies: TakeExportDependencies, group: SpanGroup): Promise<SpansOutcome> {
  const { committer, cache } = dependencies
  const { projectId, otelTraceId, held: traceId, spans, corrects, staged, marksParents } = group
  const trace = traceId === null ? null : await cache.hold(projectId, traceId)
  if (traceId !== null && trace === null) return { status: 'deleted' }
  try {
    const stored = trace !== null && corrects ? await readSteps(dependencies, trace, spans) : null
    const held = traceId === null ? null : { traceId, stored }
    const alias = { key: aliasKey(otelTraceId), bodyHash: aliasHash(otelTraceId) }
    const options = { staged, marksParents }
    const names = ({ step, isTrace }: PreparedSpan) => {
      const ofParent = marksParents ? keyForParent(step) : null
      return [
        isTrace ? traceSpanKey(step) : `i${step.id}`,
        ...(corrects || isTrace ? [correctionKey(step)] : []),
        ...(ofParent === null ? [] : [ofParent]),
      ]
    }
    const media = linkedMedia(
      projectId,
      spans.map(({ step }) => step),
    )
    const unknowns = {
      media,
      attachments: media.length === 0 || traceId === null ? [] : [traceId],
      traceKeys: [{ projectId, key: alias.key }],
      stepKeys: traceId === null ? [] : spans.flatMap((span) => names(span).map((key): StepName => ({ traceId, key }))),
    }
    const bytes = spans.reduce((sum, { step }) => sum + preparedStepBytes(step), trace?.metadata.length ?? 0)
    return await patiently(dependencies, () =>
      committer.submit({
        owner: projectId,
        bytes,
        unknowns,
        apply: (batch) => batch.addSpans(projectId, alias, held, spans, options),
      }),
    )
  } finally {
    if (traceId !== null) cache.release(traceId)
  }
}

type StepName = Pick<StepKey, 'traceId' | 'key'>

/** Steps that are read together. */
const STEPS_TOGETHER = 50

/** Neighbouring positions as ranges. */
function runsOf(heads: readonly { readonly position: number }[]): { fromPosition: number; limit: number }[] {
  const runs: { fromPosition: number; limit: number }[] = []
  for (const { position } of heads) {
    const last = runs.at(-1)
    if (last !== undefined && last.fromPosition + last.limit === position && last.limit < STEPS_TOGETHER) last.limit++
    else runs.push({ fromPosition: position, limit: 1 })
  }
  return runs
}

/**
 * The stored versions of the steps of these spans. If another commit changes the trace meanwhile, its version tells the
 * planner, and they are read again. Spans are corrected so rarely that their positions are not stored in their keys.
 */
async function readSteps(
  { store, log }: TakeExportDependencies,
  { projectId, id: traceId, version, stepCount }: TraceRecord,
  spans: readonly PreparedSpan[],
): Promise<NonNullable<HeldSpans['stored']>> {
  const wanted = new Set<StepId | null>(spans.map(({ step }) => step.id))
  const maxVersion = Math.max(version, log.watermark().version)
  const heads = await store.findStepHeads({ projectId, traceId, fromPosition: 0, limit: stepCount, maxVersion })
  const steps = new Map<StepId, StepRecord>()
  for (const { fromPosition, limit } of runsOf(heads.filter(({ id }) => wanted.has(id)))) {
    for (const step of await store.findSteps({ projectId, traceId, fromPosition, limit, maxVersion })) {
      if (wanted.has(step.id)) steps.set(step.id, step)
    }
  }
  return { version, steps }
}
