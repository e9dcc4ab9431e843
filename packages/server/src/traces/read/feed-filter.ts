import { filterValue, traceBounds } from '@spoor/contract/trace-filters'
import { FILTER_TERMS, metadataFilterTerms, TERM_FILTERS, traceTerms } from '../intake/terms.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { isWithin } from './trace-bounds.ts'
import type { FeedQuery } from '../use-cases.ts'

/** The filters of a list as groups of search terms: a row must have one term of each group. */
export function feedTerms(query: FeedQuery): readonly (readonly string[])[] {
  const groups: (readonly string[])[] = []
  for (const name of TERM_FILTERS) {
    const value = filterValue(query, name)
    if (value !== null && value !== false) groups.push([FILTER_TERMS[name](String(value))])
  }
  for (const { key, value } of query.metadata) {
    groups.push(metadataFilterTerms(key, value))
  }
  return groups
}

/**
 * Whether the latest version of a trace passes the filters: a candidate may have been found by an older version. Text
 * is not checked, because steps and names never change: a trace that the store found by its words still has them. For
 * rows that come from the journal, list-traces.ts queries the store.
 */
export function feedPredicate(query: FeedQuery): (trace: TraceRecord) => boolean {
  const groups = feedTerms(query)
  const without = termsLeftOut(query)
  const bounds = traceBounds(query)
  const { startTime, endTime } = query
  return (trace) => {
    if (!isWithin(trace, bounds)) return false
    if (startTime !== null && trace.createdAt < startTime) return false
    if (endTime !== null && trace.createdAt >= endTime) return false
    if (groups.length === 0 && without.length === 0) return true
    const terms = new Set(traceTerms(trace))
    return groups.every((group) => group.some((term) => terms.has(term))) && !without.some((term) => terms.has(term))
  }
}

/** Terms that a trace must not have, from filters with the value false. */
function termsLeftOut(query: FeedQuery): readonly string[] {
  return TERM_FILTERS.filter((name) => filterValue(query, name) === false).map((name) => FILTER_TERMS[name]('true'))
}
