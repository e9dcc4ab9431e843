import type { StepFacetsQuery, StepFacetStore } from '../../ports/traces/step-facets.ts'
import type { TraceFacets } from '../../ports/traces/trace-facets.ts'
import { type FilterDependencies, lookUpFilters } from './list-summaries.ts'
import type { FilteredRequest } from '../use-cases.ts'

interface StepFacetsRequest extends FilteredRequest, Pick<StepFacetsQuery, 'field' | 'containing' | 'limit'> {}

/** Values of a field of steps. Throws DomainError `validation_failed`, `full_text_disabled`. */
export type FindStepFacets = (request: StepFacetsRequest) => Promise<TraceFacets>

export function findStepFacetsBy(
  dependencies: FilterDependencies & { readonly store: StepFacetStore },
): FindStepFacets {
  return async (request) => {
    const found = await lookUpFilters(dependencies, request, null)
    if (found === null) return { values: [], complete: true }
    const { field, containing, limit } = request
    return dependencies.store.stepFacets({ ...found, field, containing, limit })
  }
}
