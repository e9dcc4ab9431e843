import type { StepId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import { isDeepStrictEqual } from 'node:util'
import { joinMetadata } from '../../lib/validation/move-aside.ts'
import type { PreparedSpan, SpanFacts } from '../../ports/traces/prepared.ts'
import type { SpanProgress, TraceRecord, TraceSpan } from '../../ports/traces/trace-record.ts'
import { earliest, latest } from '../rules/rollup.ts'
import { withMasked } from '../rules/trace-digest.ts'

export type MetadataLimits = Pick<Limits, 'metadataBytes' | 'metadataKeys' | 'metadataKeyLength'>

type Metadata = Readonly<Record<string, unknown>>

/** Before any span has come: every name is better. */
const NO_SPANS: SpanProgress = { rootSeen: false, rootStatus: null, nameRank: Infinity, nameStartedAt: null }

/**
 * The trace after what these spans say about it. The name is that of the span with the least rank, of equal ones that
 * which began first; session, user and a chosen run type are the first that came; metadata is merged key by key, and
 * the root's keys win. The root tells how the run ended; a span that is the trace itself gives it times. So batches may
 * come in any order. Of a root that comes in parts, the latest wins in these, but for the run type; an earlier part
 * that comes late adds what no other part of the root has said.
 */
export function mergeSpanFacts(
  before: TraceRecord,
  spans: readonly PreparedSpan[],
  limits: MetadataLimits,
): TraceRecord {
  let { name, runType, sessionId, userId, ownStartedAt, ownEndedAt, spans: progress, digest } = before
  const known = JSON.parse(before.metadata.toString()) as Metadata
  let metadata = known
  progress ??= NO_SPANS
  for (const { step, facts, isTrace } of spans) {
    const { partAt } = facts
    digest = withMasked(digest, facts.masked)
    const isEarlier: boolean = partAt !== undefined && partAt < (progress.partAt ?? -Infinity)
    if (isBetterName(progress, facts, step.startedAt)) {
      name = facts.name
      const nameAt = partAt === undefined ? {} : { nameAt: partAt }
      const { nameAt: _before, ...others } = progress
      progress = { ...others, nameRank: facts.nameRank, nameStartedAt: step.startedAt, ...nameAt }
    }
    if (facts.runType !== null && isBetterRunType(progress, facts, runType)) {
      runType = facts.runType
      if (facts.isRunTypeGiven) progress = { ...progress, isRunTypeGiven: true }
    }
    const said = new Set(isEarlier ? progress.rootSaid : [])
    const wins = (field: string) => (partAt === undefined ? facts.isRoot : !said.has(field))
    const isPart = partAt !== undefined
    sessionId = (isPart && wins('session_id') ? facts.sessionId : sessionId) ?? sessionId ?? facts.sessionId
    userId = (isPart && wins('user_id') ? facts.userId : userId) ?? userId ?? facts.userId
    const winning = Object.entries(facts.metadata).filter(([key]) => wins(metadataField(key)))
    metadata = joinMetadata(Object.fromEntries(winning), joinMetadata(metadata, facts.metadata))
    if (isPart) progress = { ...progress, ...(isEarlier ? {} : { partAt }), rootSaid: saidBy(progress, facts, limits) }
    if (facts.isRoot) progress = withRoot(progress, step)
    if (!isTrace) continue
    progress = withTraceSpan(progress, { id: step.id as StepId, parentId: step.parentStepId })
    ownStartedAt = earliest(ownStartedAt, step.startedAt)
    ownEndedAt = latest(ownEndedAt, step.endedAt)
  }
  const merged = isDeepStrictEqual(known, metadata) ? before.metadata : printWithin(metadata, limits)
  const own = { ownStartedAt, ownEndedAt }
  return { ...before, name, runType, sessionId, userId, ...own, metadata: merged, spans: progress, digest }
}

const metadataField = (key: string) => `metadata.${key}`

/** What parts of the root have said, with this one. */
function saidBy(
  { rootSaid = [] }: SpanProgress,
  { sessionId, userId, metadata }: SpanFacts,
  limits: MetadataLimits,
): readonly string[] {
  const own = [...(sessionId === null ? [] : ['session_id']), ...(userId === null ? [] : ['user_id'])]
  const keys = [...rootSaid, ...Object.keys(metadata).map(metadataField)]
  return [...new Set([...own, ...keys])].slice(0, limits.metadataKeys + 2)
}

/** Of several roots, one that failed decides, then one that says that it went well. Its later version replaces it. */
function withRoot(progress: SpanProgress, { id, status, endedAt }: PreparedSpan['step']): SpanProgress {
  const seen = { ...progress, rootSeen: true }
  if (endedAt === null) return seen
  const rootStatus = status ?? 'unset'
  const isSame = progress.rootId === id
  if (!isSame && RANKS.indexOf(rootStatus) <= RANKS.indexOf(progress.rootStatus)) return seen
  return { ...seen, rootStatus, rootId: id as StepId }
}

const RANKS: readonly SpanProgress['rootStatus'][] = [null, 'unset', 'ok', 'error']

function isBetterRunType(progress: SpanProgress, facts: SpanFacts, runType: string): boolean {
  if (progress.isRunTypeGiven) return false
  return facts.isRunTypeGiven || facts.runType === 'eval' || (!progress.rootSeen && runType !== 'eval')
}

/** More of one trace are not known as such: then steps have a parent that is no step. */
const MOST_TRACE_SPANS = 100

function withTraceSpan(progress: SpanProgress, span: TraceSpan): SpanProgress {
  const known = progress.traceSpans ?? []
  if (known.length === MOST_TRACE_SPANS || known.some(({ id }) => id === span.id)) return progress
  return { ...progress, traceSpans: [...known, span] }
}

function isBetterName(best: SpanProgress, { nameRank, partAt }: SpanFacts, startedAt: number | null): boolean {
  if (nameRank !== best.nameRank) return nameRank < best.nameRank
  if (partAt !== undefined && best.nameAt !== undefined) return partAt >= best.nameAt
  return (startedAt ?? Infinity) < (best.nameStartedAt ?? Infinity)
}

/** As many keys as a trace may have, in their order. */
function printWithin(metadata: Metadata, limits: MetadataLimits): Buffer {
  const members: string[] = []
  let bytes = 2
  for (const [key, value] of Object.entries(metadata)) {
    const member = `${JSON.stringify(key)}:${JSON.stringify(value)}`
    const length = Buffer.byteLength(member) + 1
    if (members.length >= limits.metadataKeys || key.length > limits.metadataKeyLength) continue
    if (bytes + length > limits.metadataBytes) continue
    bytes += length
    members.push(member)
  }
  return Buffer.from(`{${members.join(',')}}`)
}
