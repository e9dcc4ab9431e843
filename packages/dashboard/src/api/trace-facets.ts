import type { TraceFacets } from '@spoor/contract/schemas/traces/trace-facets'
import { keepPreviousData } from '@tanstack/react-query'
import { readQuery } from './client/queries.ts'

const VALUES = 50

/**
 * Values of a filter field (`model`, `metadata` for its keys, `metadata.env` for the values of one) that start with or
 * contain the typed text.
 */
export const traceFacetsQuery = (field: string, q: string) => ({
  ...readQuery<TraceFacets>(['trace-facets', field, q], '/v1/traces/facets', { field, q, limit: VALUES }),
  placeholderData: keepPreviousData,
  retry: false,
})
