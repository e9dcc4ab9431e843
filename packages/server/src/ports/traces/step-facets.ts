import type { STEP_FACET_FIELDS } from '@spoor/contract/schemas/traces/trace-facets'
import type { TraceFacets } from './trace-facets.ts'
import type { SummaryQuery } from './trace-summaries.ts'

/** A filter of steps, the paths of arguments, or the values of one path. */
export type StepFacetField =
  { readonly by: (typeof STEP_FACET_FIELDS)[number] } | { readonly by: 'path'; readonly path: string }

/** Filters of steps hold for the step. */
export interface StepFacetsQuery extends Omit<SummaryQuery, 'by'> {
  readonly field: StepFacetField
  /** Values must contain this text, in any case; null for all. */
  readonly containing: string | null
  readonly limit: number
}

/**
 * As TraceFacetStore, but with filters, and everything committed before a call counts. Steps of the newest traces are
 * counted, whether these pass the filters or not.
 */
export interface StepFacetStore {
  stepFacets(query: StepFacetsQuery): Promise<TraceFacets>
}
