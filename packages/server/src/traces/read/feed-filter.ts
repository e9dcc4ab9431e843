import { filterValue } from '@spoor/contract/trace-filters'
import { FILTER_TERMS, metadataFilterTerms, ROW_FILTERS, traceTerms } from '../intake/terms.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { FeedQuery } from '../use-cases.ts'

/** The filters of a list as groups of search terms: one term of each group must be there. */
export function feedTerms(query: FeedQuery): readonly (readonly string[])[] {
  const groups: (readonly string[])[] = []
  for (const name of ROW_FILTERS) {
    const value = filterValue(query, name)
    if (value !== null && value !== false) groups.push([FILTER_TERMS[name](String(value))])
  }
  for (const { key, value } of query.metadata) {
    groups.push(metadataFilterTerms(key, value))
  }
  return groups
}

/**
 * Whether the newest version of a trace passes the filters: a candidate may have been found by an older one. Text is
 * not looked at: steps and names never change, so what the store found by its words still has them (of rows that the
 * journal tells of, the store is asked: list-traces.ts).
 */
export function feedPredicate(query: FeedQuery): (trace: TraceRecord) => boolean {
  const groups = feedTerms(query)
  const without = termsLeftOut(query)
  const { startTime, endTime } = query
  return (trace) => {
    if (startTime !== null && trace.createdAt < startTime) return false
    if (endTime !== null && trace.createdAt >= endTime) return false
    if (groups.length === 0 && without.length === 0) return true
    const terms = new Set(traceTerms(trace))
    return groups.every((group) => group.some((term) => terms.has(term))) && !without.some((term) => terms.has(term))
  }
}

/** Terms that a trace must not have, of filters with false. */
function termsLeftOut(query: FeedQuery): readonly string[] {
  return ROW_FILTERS.filter((name) => filterValue(query, name) === false).map((name) => FILTER_TERMS[name]('true'))
}
