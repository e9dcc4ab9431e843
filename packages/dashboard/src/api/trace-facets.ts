import type { TraceFacets } from '@spoor/contract/schemas/traces/trace-facets'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from './client/request.ts'

const VALUES = 50

/**
 * Values of a filter field (`model`, `metadata` for its keys, `metadata.env` for the values of one) that start with or
 * contain the typed text.
 */
export function traceFacetsQuery(field: string, typed: string) {
  return queryOptions({
    queryKey: ['trace-facets', field, typed],
    queryFn: ({ signal }) =>
      request<TraceFacets>('/v1/traces/facets', { query: { field, q: typed, limit: VALUES }, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  })
}
