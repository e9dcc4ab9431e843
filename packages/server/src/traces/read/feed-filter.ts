import { traceBounds } from '@spoor/contract/trace-filters'
import { filterTerms, type FilterTerms, metadataFilterTerms, traceTerms } from '../rules/terms.ts'
import type { ModelRates } from '../../ports/prices/price.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { isWithin } from '../rules/trace-bounds.ts'
import type { FilteredRequest } from '../use-cases.ts'

/** The filters of a list as search terms. */
export function feedTerms(query: FilteredRequest): FilterTerms {
  const { groups, none } = filterTerms(query)
  return { groups: [...groups, ...query.metadata.map(({ key, value }) => metadataFilterTerms(key, value))], none }
}

/**
 * Whether the latest version of a trace passes the filters: a candidate may have been found by an older version. Text
 * is not checked, because steps and names never change: a trace that the store found by its words still has them. For
 * rows that come from the journal, list-traces.ts queries the store.
 */
export function feedPredicate(query: FilteredRequest, rates: ModelRates | null): (trace: TraceRecord) => boolean {
  const { groups, none } = feedTerms(query)
  const bounds = traceBounds(query)
  const { startTime, endTime } = query
  return (trace) => {
    if (!isWithin(trace, { bounds, rates })) return false
    if (startTime !== null && trace.createdAt < startTime) return false
    if (endTime !== null && trace.createdAt >= endTime) return false
    if (groups.length === 0 && none.length === 0) return true
    const terms = new Set(traceTerms(trace))
    return groups.every((group) => group.some((term) => terms.has(term))) && !none.some((term) => terms.has(term))
  }
}
