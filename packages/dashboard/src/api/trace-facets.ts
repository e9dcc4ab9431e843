import type { StepFacets, TraceFacets } from '@spoor/contract/schemas/traces/trace-facets'
import { keepPreviousData } from '@tanstack/react-query'
import { readQuery } from './client/queries.ts'

const VALUES = 50

/**
 * Values of a filter field of traces (`model`, `metadata` for its keys, `metadata.env` for the values of one) or of
 * steps (`tool`, `argument`, `argument.city`) that contain the typed text.
 */
export const facetsQuery = (rows: 'traces' | 'steps', field: string, q: string) => ({
  ...readQuery<TraceFacets | StepFacets>(['facets', rows, field, q], `/v1/${rows}/facets`, { field, q, limit: VALUES }),
  placeholderData: keepPreviousData,
  retry: false,
})

/** Metadata keys of existing traces, as suggestions. */
export const metadataKeysQuery = {
  ...readQuery<TraceFacets>(['metadata-keys'], '/v1/traces/facets', { field: 'metadata' }),
  staleTime: 60_000,
  retry: false,
  select: ({ values }: TraceFacets) => values.map(({ value }) => value),
}
