import type { StepFacets, TraceFacets } from '@spoor/contract/schemas/traces/trace-facets'
import { keepPreviousData } from '@tanstack/react-query'
import type { TimeRange } from '../lib/time-range.ts'
import { feedPath, type Filters, toBounds } from './client/feed.ts'
import { readQuery } from './client/queries.ts'

const VALUES = 50
/** The most that the service gives. */
const TOOLS = 100

/**
 * Values of a filter field of traces (`model`, `metadata` for its keys, `metadata.env` for the values of one) or of
 * steps (`tool`, `argument`, `argument.city`) that contain the typed text.
 */
export const facetsQuery = (rows: 'traces' | 'steps', field: string, q: string) => ({
  ...readQuery<TraceFacets | StepFacets>(['facets', rows, field, q], `/v1/${rows}/facets`, { field, q, limit: VALUES }),
  placeholderData: keepPreviousData,
  retry: false,
})

/** The tools that steps of any type name, with the number of these steps. Series count those of type `tool` alone. */
export const toolsQuery = ({ filters: { q: text, ...filters }, metadata }: Filters, range: TimeRange) => ({
  ...readQuery<StepFacets>(
    ['series-groups', 'tools', text, filters, metadata, range],
    feedPath('/v1/steps/facets', { filters, metadata }, { field: 'tool', text, limit: TOOLS, ...toBounds(range) }),
  ),
  placeholderData: keepPreviousData,
  staleTime: 30_000,
  select: ({ values }: StepFacets) => values.map(({ value, count }) => ({ group: value, count })),
})

/** Metadata keys of existing traces, as suggestions. */
export const metadataKeysQuery = {
  ...readQuery<TraceFacets>(['metadata-keys'], '/v1/traces/facets', { field: 'metadata' }),
  staleTime: 60_000,
  retry: false,
  select: ({ values }: TraceFacets) => values.map(({ value }) => value),
}
