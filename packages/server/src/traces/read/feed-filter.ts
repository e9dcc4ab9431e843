import {
  flaggedTerm,
  metadataFilterTerms,
  modelTerm,
  nameTerm,
  runTypeTerm,
  sessionTerm,
  statusTerm,
  traceTerms,
  userTerm,
} from '../intake/terms.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { FeedQuery } from '../use-cases.ts'

/** The filters of a list as groups of search terms: one term of each group must be there. */
export function feedTerms(query: FeedQuery): readonly (readonly string[])[] {
  const groups: (readonly string[])[] = []
  if (query.status !== null) groups.push([statusTerm(query.status)])
  if (query.flagged === true) groups.push([flaggedTerm()])
  if (query.runType !== null) groups.push([runTypeTerm(query.runType)])
  if (query.model !== null) groups.push([modelTerm(query.model)])
  if (query.name !== null) groups.push([nameTerm(query.name)])
  if (query.sessionId !== null) groups.push([sessionTerm(query.sessionId)])
  if (query.userId !== null) groups.push([userTerm(query.userId)])
  for (const { key, value } of query.metadata) {
    groups.push(metadataFilterTerms(key, value))
  }
  return groups
}

/**
 * Whether the newest version of a trace passes the filters: a candidate may have been found by an older one. Text is not looked at: steps and
 * names never change, so what the store found by its words still has them (of rows that the journal tells of, the store is asked: list-traces.ts).
 */
export function feedPredicate(query: FeedQuery): (trace: TraceRecord) => boolean {
  const groups = feedTerms(query)
  const { flagged, startTime, endTime } = query
  return (trace) => {
    if (flagged !== null && trace.flagged !== flagged) return false
    if (startTime !== null && trace.createdAt < startTime) return false
    if (endTime !== null && trace.createdAt >= endTime) return false
    if (groups.length === 0) return true
    const terms = new Set(traceTerms(trace))
    return groups.every((group) => group.some((term) => terms.has(term)))
  }
}
