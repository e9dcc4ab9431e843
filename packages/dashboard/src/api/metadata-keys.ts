import { queryOptions } from '@tanstack/react-query'
import { request } from './client/request.ts'

interface Facet {
  readonly values: readonly { readonly value: string; readonly count: number }[]
}

/** Metadata keys of existing traces, as suggestions; empty if they cannot be loaded. */
export const metadataKeysQuery = queryOptions({
  queryKey: ['metadata-keys'],
  staleTime: 60_000,
  queryFn: async ({ signal }) => {
    try {
      const { values } = await request<Facet>('/v1/traces/facets', { query: { field: 'metadata' }, signal })
      return values.map(({ value }) => value)
    } catch (error) {
      if (signal.aborted) throw error
      return []
    }
  },
})
