import type { Limits } from '@spoor/contract/limits'
import { isDeepStrictEqual } from 'node:util'
import type { PreparedSpan } from '../../ports/traces/prepared.ts'
import type { SpanProgress, TraceRecord } from '../../ports/traces/trace-record.ts'

export type MetadataLimits = Pick<Limits, 'metadataBytes' | 'metadataKeys' | 'metadataKeyLength'>

type Metadata = Readonly<Record<string, unknown>>

/** Before any span has come: every name is better. */
const NO_SPANS: SpanProgress = { rootSeen: false, nameRank: Infinity, nameStartedAt: null }

/**
 * The trace after what these spans say about it. The name is that of the span with the least rank, of equal ones that
 * which began first; session and user are the first that came; metadata is merged key by key, and the root's keys win.
 * So batches may come in any order.
 */
export function mergeSpanFacts(
  before: TraceRecord,
  spans: readonly PreparedSpan[],
  limits: MetadataLimits,
): TraceRecord {
  let { name, runType, sessionId, userId, spans: progress } = before
  const known = JSON.parse(before.metadata.toString()) as Metadata
  let metadata = known
  progress ??= NO_SPANS
  for (const { step, facts } of spans) {
    if (isBetterName(progress, facts.nameRank, step.startedAt)) {
      name = facts.name
      progress = { ...progress, nameRank: facts.nameRank, nameStartedAt: step.startedAt }
    }
    if (facts.runType === 'eval' || (facts.runType !== null && !progress.rootSeen && runType !== 'eval')) {
      runType = facts.runType
    }
    sessionId ??= facts.sessionId
    userId ??= facts.userId
    metadata = facts.isRoot ? { ...metadata, ...facts.metadata } : { ...facts.metadata, ...metadata }
    if (facts.isRoot && !progress.rootSeen) progress = { ...progress, rootSeen: true }
  }
  const merged = isDeepStrictEqual(known, metadata) ? before.metadata : printWithin(metadata, limits)
  return { ...before, name, runType, sessionId, userId, metadata: merged, spans: progress }
}

function isBetterName(best: SpanProgress, rank: number, startedAt: number | null): boolean {
  if (rank !== best.nameRank) return rank < best.nameRank
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
