import {
  FACET_TRACES,
  StepFacets,
  StepFacetsQuery,
  TraceFacets,
  TraceFacetsQuery,
} from '../schemas/traces/trace-facets.ts'
import type { Operation } from './operation.ts'

export const FACET_OPERATIONS = {
  getTraceFacets: {
    method: 'GET',
    path: '/v1/traces/facets',
    summary: 'Values to filter traces by',
    description:
      `The values of a field and the number of traces with each value, among the newest ${FACET_TRACES.toLocaleString('en')} traces that are not deleted. Meant for suggestions: traces committed within the last second may be missing, ` +
      'and names, sessions, users, keys and metadata values of more than 124 bytes are.',
    scopes: ['read'],
    query: TraceFacetsQuery,
    responses: { 200: { description: 'The values.', content: { 'application/json': TraceFacets } } },
  },
  getStepFacets: {
    method: 'GET',
    path: '/v1/steps/facets',
    summary: 'Values to filter steps by',
    description:
      `The values of a field and the number of steps with each value, among the steps of the newest ${FACET_TRACES.toLocaleString('en')} traces that pass the filters of the list. ` +
      '`q` is a part of the values, `text` the full-text query of the list. Everything committed before the request counts; arguments of more than 124 bytes are missing.',
    scopes: ['read'],
    query: StepFacetsQuery,
    responses: { 200: { description: 'The values.', content: { 'application/json': StepFacets } } },
    errors: ['full_text_disabled'],
  },
} as const satisfies Record<string, Operation>
