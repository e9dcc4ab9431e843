import type { ProjectId } from '@spoor/contract/ids'
import type { FilterNameOf } from '@spoor/contract/trace-filters'

/** A field that the feed filters by, the keys of the metadata, or the values of one of these keys. */
export type TraceFacetField =
  { readonly by: FilterNameOf<'facets'> | 'metadata_key' } | { readonly by: 'metadata'; readonly key: string }

export interface TraceFacetsQuery {
  readonly projectId: ProjectId
  readonly field: TraceFacetField
  /** Values must contain this text, in any case; null for all. */
  readonly containing: string | null
  readonly limit: number
}

export interface TraceFacets {
  /** In the form that a filter of the feed takes, by the number of traces, most first, then by value. */
  readonly values: readonly { readonly value: string; readonly count: number }[]
  /** Every trace was read, and no value is left out. */
  readonly complete: boolean
}

/**
 * Suggested values for a filter, from the latest versions of the newest traces, without deleted ones. Time and memory
 * are bounded, however many traces exist. Traces committed a moment ago may be missing. Values too long for a search
 * term (terms.ts) are left out, because only their hashes are stored.
 */
export interface TraceFacetStore {
  traceFacets(query: TraceFacetsQuery): Promise<TraceFacets>
}
