import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../../lib/domain-error.ts'
import { atOnce } from '../../../lib/flow/in-slices.ts'
import { toMediaUri } from '../../../ports/media/media-uri.ts'
import type { PreparedSpan, PreparedStep } from '../../../ports/traces/prepared.ts'
import type { StepRecord } from '../../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import { keyForParent } from '../../otlp/filter-spans.ts'
import type { CommitBatch } from '../commit-batch.ts'
import { mergeSpanFacts } from '../merge-span-facts.ts'
import { addSteps, replaceStep, rollupOf, withRollup } from '../../rules/rollup.ts'
import { change } from './change.ts'
import { attachmentsLeft } from './links.ts'
import { newTrace } from './new-trace.ts'
import { correctionKey, NewStepKeys, traceSpanKey } from './step-keys.ts'
import { identified } from './with-steps.ts'
import { NONE_STAGED, rewriteStep, type StagedBytes, writeSteps } from './write-steps.ts'

export interface RefusedSpan {
  readonly reason: string
  readonly span: PreparedSpan
}

/** What became of spans of one trace. */
export type SpansOutcome =
  | {
      readonly status: 'taken'
      readonly traceId: TraceId
      readonly refused: readonly RefusedSpan[]
    }
  | { readonly status: 'deleted' }
  /** Nothing was done: since the caller looked, this trace got the alias, or some of its spans have changed. */
  | { readonly status: 'stale'; readonly traceId: TraceId }

/** The trace that the caller holds. */
export interface HeldSpans {
  readonly traceId: TraceId
  /** The version of the trace for which `changed` is right. */
  readonly version: number
  /** Stored steps of the spans that have come before with other content. Their `correctionKey` is looked up. */
  readonly changed: ReadonlyMap<StepId, StepRecord>
}

export interface SpanOptions {
  /** Media that the spans name and the project may not have. */
  readonly staged: StagedBytes
  /** Each step leaves a key for its parent; see filter-spans.ts. The caller MUST have looked these keys up. */
  readonly marksParents: boolean
}

const NO_OPTIONS: SpanOptions = { staged: NONE_STAGED, marksParents: false }

/**
 * Spans of one trace that OpenTelemetry knows by another id: `alias` is the key under which the trace is known. The
 * first spans create it. A span that has come before with the same content changes nothing; with other content it
 * replaces its step if it ends later. So do parts and log records, which the caller has joined with the step, whenever
 * they end. A span that becomes a step MUST NOT be there with two contents.
 */
export function planSpans(
  batch: CommitBatch,
  projectId: ProjectId,
  alias: { readonly key: string; readonly bodyHash: string },
  held: HeldSpans | null,
  spans: readonly PreparedSpan[],
  options: SpanOptions = NO_OPTIONS,
): SpansOutcome {
  refuseDeletedMedia(batch, projectId, spans, options.staged)
  const known = batch.traceKey(projectId, alias.key)
  if (known === undefined) {
    const trace = { ...newTrace(batch.context, projectId, batch.context.newTraceId()), growing: true }
    batch.create(trace, alias)
    // No span has more media than a trace may have, so the first one is taken.
    return addTo(batch, trace, spans, null, options)
  }
  const { traceId } = known
  if (traceId !== held?.traceId && !batch.creates(traceId)) return { status: 'stale', traceId }
  const before = batch.latest(traceId)
  if (before.deleted) return { status: 'deleted' }
  return addTo(batch, before, spans, held?.version === before.version ? held.changed : null, options)
}

/** Media that came with the spans existed, or was stored, before the plan, but may have been deleted since. */
function refuseDeletedMedia(
  { context: { known } }: CommitBatch,
  projectId: ProjectId,
  spans: readonly PreparedSpan[],
  staged: StagedBytes,
): void {
  const isStaged = (sha256: string) => staged.has(sha256) && staged.get(sha256)?.isGone !== true
  const isThere = (sha256: string) => isStaged(sha256) || known.hasMedia(projectId, sha256)
  for (const { step, links } of spans) {
    if (step.attachments.every((sha256) => links.includes(sha256) || isThere(sha256))) continue
    const detail = 'Media of the spans was deleted with another trace meanwhile; send the request again.'
    throw new DomainError('storage_unavailable', detail, { retryAfterSeconds: 1 })
  }
}

function addTo(
  batch: CommitBatch,
  before: TraceRecord,
  spans: readonly PreparedSpan[],
  stored: ReadonlyMap<StepId, StepRecord> | null,
  options: SpanOptions,
): SpansOutcome {
  const { id: traceId } = before
  const { staged, marksParents } = options
  const keys = new NewStepKeys(traceId, (key) => batch.stepKey(traceId, key))
  const sorted = sortSpans(batch, before, spans, stored, keys, staged)
  if (sorted === null) return { status: 'stale', traceId }
  const { fresh, replacing, refused, ofTrace } = sorted
  const changed = replacing.map(({ span }) => span)
  if (marksParents) for (const { step } of [...fresh, ...changed, ...ofTrace]) markParent(keys, step)
  if (fresh.length + replacing.length + ofTrace.length > 0) {
    const tree = batch.usageTree(before)
    batch.addStepKeys(keys.all)
    const steps = fresh.map(({ step }) => step)
    const ids = steps.map(({ id }) => id as StepId)
    atOnce(writeSteps(batch, before, steps, ids, staged))
    for (const { step } of ofTrace) tree.set(step.id as StepId, step.parentStepId, null, null)
    const { contextLimit, metadataLimits } = batch.context
    const taken = [...fresh, ...changed, ...ofTrace]
    const merged = mergeSpanFacts(before, taken, metadataLimits)
    let rollup = addSteps(rollupOf(merged), identified(before, steps, ids), tree, contextLimit)
    for (const { span, old, links } of replacing) {
      rewriteStep(batch, before, span.step, old, links, staged)
      rollup = replaceStep(rollup, old, span.step, tree)
    }
    batch.keepTree(traceId, tree)
    change(batch, before, withRollup(merged, rollup), null)
  }
  return { status: 'taken', traceId, refused }
}

interface Replacing {
  readonly span: PreparedSpan
  readonly old: StepRecord
  /** Attachments that the old step does not have. */
  readonly links: readonly string[]
}

/**
 * Spans that have not come before, each once; those that replace a step; and new contents of spans that are the trace
 * itself. Null: the step of a changed span must be read.
 */
function sortSpans(
  batch: CommitBatch,
  before: TraceRecord,
  spans: readonly PreparedSpan[],
  stored: ReadonlyMap<StepId, StepRecord> | null,
  keys: NewStepKeys,
  staged: StagedBytes,
) {
  const { projectId } = before
  const fresh: PreparedSpan[] = []
  const replacing: Replacing[] = []
  const refused: RefusedSpan[] = []
  const steps = spans.map(({ step }) => step)
  let left = attachmentsLeft(batch, before, steps)
  const mayLink = (span: PreparedSpan, links: readonly string[]) => {
    const reason = missingLink(batch, projectId, span, staged) ?? (links.length > left ? tooMany(batch) : null)
    if (reason === null) left -= links.length
    else refused.push({ reason, span })
    return reason === null
  }
  const ofTrace = spans.filter((span) => span.isTrace && isNewOfTrace(keys, span.step))
  for (const span of spans) {
    if (span.isTrace) continue
    const { step } = span
    const id = step.id as StepId
    const known = keys.find(`i${id}`)
    if (known === undefined) {
      if (!mayLink(span, step.attachments)) continue
      keys.addOf(step, id)
      fresh.push(span)
      continue
    }
    if (known.contentHash === step.contentHash || !mayChange(span)) continue
    const old = stored?.get(id)
    if (old === undefined) return null
    const key = correctionKey(step)
    const isLater = span.isRecords === true || span.part !== undefined || step.endedAt! > (old.endedAt ?? -1)
    if (keys.find(key) !== undefined || !isLater) continue
    const links = step.attachments.filter((sha256) => !old.body.includes(toMediaUri({ projectId, sha256 })))
    if (!mayLink(span, links)) continue
    keys.add(key, id, step)
    replacing.push({ span, old, links })
  }
  return { fresh, replacing, refused, ofTrace }
}

/**
 * Whether the step may be replaced if it has come before with other content. A content without an end never ends later
 * than another.
 */
export function mayChange({ isRecords, part, step }: PreparedSpan): boolean {
  return isRecords === true || part === 'content' || (part === undefined && step.endedAt !== null)
}

/** Whether no such content has come yet. Contents are merged into the trace in any order, so none is read before. */
function isNewOfTrace(keys: NewStepKeys, step: PreparedStep): boolean {
  const first = keys.find(traceSpanKey(step))
  const key = first === undefined ? traceSpanKey(step) : correctionKey(step)
  if (first?.contentHash === step.contentHash || keys.find(key) !== undefined) return false
  keys.add(key, step.id as StepId, step)
  return true
}

/** Why a span is refused that links media which the project does not have. */
function missingLink(
  { context: { known } }: CommitBatch,
  projectId: ProjectId,
  { links }: PreparedSpan,
  staged: StagedBytes,
): string | null {
  const missing = links.find((sha256) => !staged.has(sha256) && !known.hasMedia(projectId, sha256))
  return missing === undefined ? null : `there is no media ${toMediaUri({ projectId, sha256: missing })} in the project`
}

function tooMany({ context: { mostAttachments } }: CommitBatch): string {
  return `a trace has at most ${mostAttachments} attachments`
}

function markParent(keys: NewStepKeys, step: PreparedStep): void {
  const key = keyForParent(step)
  if (key !== null && keys.find(key) === undefined) keys.add(key, step.id as StepId, step)
}
