import type { TraceFacets } from '@spoor/contract/schemas/traces/trace-facets'
import { readQuery } from './client/queries.ts'

/** Metadata keys of existing traces, as suggestions. */
export const metadataKeysQuery = {
  ...readQuery<TraceFacets>(['metadata-keys'], '/v1/traces/facets', { field: 'metadata' }),
  staleTime: 60_000,
  retry: false,
  select: ({ values }: TraceFacets) => values.map(({ value }) => value),
}
