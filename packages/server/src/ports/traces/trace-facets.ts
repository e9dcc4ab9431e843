import type { ProjectId } from '@spoor/contract/ids'
import type { FilterNameOf } from '@spoor/contract/trace-filters'

/**
 * What of a trace is asked for: a field that the feed filters by, the keys of its metadata, or its value under one of
 * them.
 */
export type TraceFacetField =
  { readonly by: FilterNameOf<'facets'> | 'metadata_key' } | { readonly by: 'metadata'; readonly key: string }

export interface TraceFacetsQuery {
  readonly projectId: ProjectId
  readonly field: TraceFacetField
  /** To be found somewhere in the text of a value, in whatever case; null for all. */
  readonly containing: string | null
  /** Values at most. */
  readonly limit: number
}

export interface TraceFacets {
  /** As a filter of the feed takes them, by how many traces have them, most first. */
  readonly values: readonly { readonly value: string; readonly count: number }[]
  /** Every trace was looked at, and no value is left out. */
  readonly complete: boolean
}

/**
 * Values to suggest for a filter: those of the newest traces, by the newest version of each, without deleted ones. In
 * bounded time and memory, however many traces there are; what was committed a moment ago may be missing. So are values
 * too long for a search term (terms.ts), which could not be told by the answer.
 */
export interface TraceFacetStore {
  traceFacets(query: TraceFacetsQuery): Promise<TraceFacets>
}
