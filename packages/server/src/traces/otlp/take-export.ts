import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { Masking } from '@spoor/contract/schemas/masking'
import type { SpanFilter } from '@spoor/contract/schemas/project'
import { DomainError } from '../../lib/domain-error.ts'
import { freePassing } from '../../lib/flow/passing-bytes.ts'
import type { WorkTurns } from '../../lib/flow/work-turns.ts'
import { type Log, NO_UNKNOWNS } from '../../ports/log/log.ts'
import {
  type PreparedExport,
  type PreparedSpan,
  preparedStepBytes,
  type RejectedSpans,
  type SpanEvaluation,
} from '../../ports/traces/prepared.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { CommitMetrics } from '../commit/commit-metrics.ts'
import type { GroupCommitter } from '../commit/group-committer.ts'
import { type HeldSpans, planSpans, type RefusedSpan, type SpanOptions } from '../commit/plan/spans.ts'
import { correctionKey, stepIdKey, traceSpanKey } from '../commit/plan/step-keys.ts'
import { patiently } from '../commit/submit-patiently.ts'
import { withStored } from './with-stored.ts'
import type { TraceCache } from '../commit/trace-cache.ts'
import { LARGE_BODY_BYTES, type LargeBodies } from '../parse-thread/large-bodies.ts'
import type { ExportRequest, TraceUseCases } from '../use-cases.ts'
import { compileMasking } from '../../lib/masking/masker.ts'
import { linkedMedia } from '../intake/linkable-media.ts'
import { maskSpan } from '../intake/mask-prepared.ts'
import { keyForParent, keysOfOthers, withoutOthers } from './filter-spans.ts'
import { joinRecords } from './join-records.ts'
import { keysAmong, readChanged, type StepName } from './read-changed.ts'
import { aliasHash, aliasKey } from './span-ids.ts'
import { type SpanMediaStore, withStagedMedia } from './staged-media.ts'

export type RecordEvaluations = (
  projectId: ProjectId,
  evaluations: readonly (SpanEvaluation & { readonly traceId: TraceId; readonly stepId: StepId | null })[],
) => Promise<readonly string[]>

export interface TakeExportDependencies {
  /** Which spans the project takes now. */
  readonly spanFilter: (projectId: ProjectId) => Promise<SpanFilter>
  /** What the project masks now; null: nothing. */
  readonly maskingOf: (projectId: ProjectId) => Promise<Masking | null>
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
/** Traces that are looked up and submitted together. Others have their turn between. */
const TRACES_TOGETHER = 100
/** How often a group of spans is planned: again whenever another commit has made what was looked up untrue. */
const MOST_TRIES = 20

/**
 * An export of spans or of log records (OTLP). Resolves when all that is taken is durable and readable. A request that
 * is refused may be sent again as it is: what of it has been stored is recognised.
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
  { count, reasons, verdicts }: RejectedSpans,
  refused: readonly RefusedSpan[],
  notes: readonly string[],
): RejectedSpans {
  const all = [...reasons, ...new Set(refused.map(({ reason }) => reason)), ...notes]
  if (verdicts === undefined) return { count: count + refused.length, reasons: all }
  const why = new Map(refused.flatMap(({ reason, span }) => (span.names ?? []).map((name) => [name, reason] as const)))
  const named = verdicts.map(({ name, refused: before }) => ({ name, refused: before ?? why.get(name) ?? null }))
  return { count: count + refused.length, reasons: all, verdicts: named }
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
  { work, limits, largeBodies, maskingOf }: TakeExportDependencies,
  { projectId, body, encoding }: ExportRequest,
): Promise<PreparedExport> {
  const masking = await maskingOf(projectId)
  if (body.length >= LARGE_BODY_BYTES) return largeBodies.parseExport(encoding, { projectId, bytes: body, masking })
  const { parseExport } = await import('./parse-export.ts')
  const masker = await compileMasking(masking)
  return work.run(projectId, () => {
    const { spans, ...rest } = parseExport(projectId, body, encoding, limits)
    return { spans: spans.map((span) => maskSpan(span, masker)), ...rest }
  })
}

interface OfTrace extends SpanOptions {
  readonly projectId: ProjectId
  readonly otelTraceId: string
}

interface TakenSpans {
  /** The trace that has the spans now; null when it is deleted. */
  readonly traceId: TraceId | null
  readonly refused: readonly RefusedSpan[]
  /** Of the spans that the project takes. */
  readonly evaluations: readonly (SpanEvaluation & { readonly stepId: StepId | null })[]
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
    own.map((one) => Object.assign({ stepId: one.isOfTrace === true ? null : step.id }, one)),
  )
  const refused: RefusedSpan[] = []
  const turns = inTurns(spans)
  spans.length = 0
  for (const [turn, waiting] of turns.entries()) {
    while (waiting.length > 0) {
      const group = waiting.splice(0, sizeOfGroup(waiting))
      const taken = await takeGroup(dependencies, ofTrace, traceId, group, turn > 0)
      traceId = taken.traceId
      refused.push(...taken.refused)
    }
  }
  return { traceId, refused, evaluations }
}

/** Without the spans that are not about agents. */
async function filtered(
  { log, metrics }: TakeExportDependencies,
  traceId: TraceId | null,
  sent: readonly PreparedSpan[],
): Promise<PreparedSpan[]> {
  const names = traceId === null ? [] : keysOfOthers(sent).map((key): StepName => ({ traceId, key }))
  const known = await keysAmong(log, names)
  const spans = withoutOthers(sent, (key) => known.has(`${traceId}${key}`))
  if (spans.length < sent.length) metrics.spansFiltered(sent.length - spans.length)
  return spans
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

/** First contents of spans in the first turn, further ones in later turns, in their order. */
function inTurns(spans: readonly PreparedSpan[]): PreparedSpan[][] {
  const turns: PreparedSpan[][] = []
  const contents = new Map<StepId | null, string[]>()
  for (const span of spans) {
    const { id, contentHash } = span.step
    // Those that are the trace itself are merged in any order.
    const before = (!span.isTrace && contents.get(id)) || []
    const at = before.includes(contentHash) ? before.indexOf(contentHash) : before.push(contentHash) - 1
    if (!span.isTrace) contents.set(id, before)
    ;(turns[at] ??= []).push(span)
  }
  return turns
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

/**
 * Commits these spans, each with one content. Which of them replace a step is looked up only if some are known to, or
 * the first plan says so.
 */
async function takeGroup(
  dependencies: TakeExportDependencies,
  ofTrace: OfTrace,
  expected: TraceId | null,
  sent: readonly PreparedSpan[],
  mayReplace: boolean,
): Promise<Omit<TakenSpans, 'evaluations'>> {
  const { committer, cache } = dependencies
  const { projectId, otelTraceId, staged, marksParents } = ofTrace
  const alias = { key: aliasKey(otelTraceId), bodyHash: aliasHash(otelTraceId) }
  const deleted = { traceId: null, refused: sent.map((span) => ({ reason: 'the trace was deleted', span })) }
  const media = linkedMedia(
    projectId,
    sent.map(({ step }) => step),
  )
  let traceId = expected
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const trace = traceId === null ? null : await cache.hold(projectId, traceId)
    if (traceId !== null && trace === null) return deleted
    try {
      const looks = mayReplace || tries > 1 || sent.some(({ isRecords }) => isRecords)
      const held = trace === null ? null : await readChanged(dependencies, trace, looks ? sent : [])
      const fresh = sent.filter((span) => held?.repeated.has(span) !== true)
      const [replacing, others] = parted(fresh, held)
      // Others do not wait until nobody else writes to the trace.
      if (replacing.length > 0 && others.length > 0) {
        const first = await takeGroup(dependencies, ofTrace, traceId, others, false)
        const then = await takeGroup(dependencies, ofTrace, first.traceId, replacing, true)
        return { traceId: then.traceId, refused: [...first.refused, ...then.refused] }
      }
      const spans = fresh.flatMap((span) => {
        const old = held?.changed.get(span.step.id as StepId)
        if (old === undefined) return [span]
        return span.part === undefined
          ? (joinRecords(old, span, dependencies.limits) ?? [])
          : [withStored(span, old, dependencies.limits)]
      })
      const unknowns = {
        media,
        attachments: media.length === 0 || trace === null ? [] : [trace.id],
        traceKeys: [{ projectId, key: alias.key }],
        stepKeys: held === null ? [] : spans.flatMap((span) => keysOf(held, span, marksParents)),
      }
      const bytes = spans.reduce((sum, { step }) => sum + preparedStepBytes(step), trace?.metadata.length ?? 0)
      const apply = (batch: CommitBatch) => planSpans(batch, projectId, alias, held, spans, { staged, marksParents })
      const outcome = await patiently(dependencies, () =>
        committer.submit({ owner: projectId, bytes, unknowns, apply }),
      )
      if (outcome.status === 'deleted') return deleted
      if (outcome.status === 'taken') return outcome
      ;({ traceId } = outcome)
    } finally {
      if (trace !== null) cache.release(trace.id)
    }
  }
  const busy = 'Others keep writing to a trace of which spans are corrected; send the request again.'
  throw new DomainError('storage_unavailable', busy, { retryAfterSeconds: 1 })
}

/** Those that replace a stored step, then the others. */
function parted(spans: readonly PreparedSpan[], held: HeldSpans | null): [PreparedSpan[], PreparedSpan[]] {
  const { true: replacing = [], false: others = [] } = Object.groupBy(spans, ({ step, isTrace }) =>
    String(!isTrace && held?.changed.has(step.id as StepId) === true),
  )
  return [replacing, others]
}

/** The keys of the trace that are looked up for a span. */
function keysOf({ traceId, changed }: HeldSpans, { step, isTrace }: PreparedSpan, marksParents: boolean): StepName[] {
  const ofParent = marksParents ? keyForParent(step) : null
  const keys = [
    isTrace ? traceSpanKey(step) : stepIdKey(step),
    isTrace || changed.has(step.id as StepId) ? correctionKey(step) : null,
    ofParent,
  ]
  return keys.flatMap((key) => (key === null ? [] : [{ traceId, key }]))
}
