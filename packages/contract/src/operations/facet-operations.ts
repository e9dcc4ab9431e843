import { FACET_TRACES, TraceFacets, TraceFacetsQuery } from '../schemas/traces/trace-facets.ts'
import type { Operation } from './operation.ts'

export const FACET_OPERATIONS = {
  getTraceFacets: {
    method: 'GET',
    path: '/v1/traces/facets',
    tag: 'traces',
    summary: 'Values to filter traces by',
    description:
      `Which values a field has, and how many traces have each, among the newest ${FACET_TRACES.toLocaleString('en')} traces as they are now; deleted ones do not count. For suggestions: what was committed within the last second may be missing, ` +
      'and so are names, sessions, users, keys and metadata values of more than 124 bytes.',
    scopes: ['read'],
    query: TraceFacetsQuery,
    responses: { 200: { description: 'The values.', content: { 'application/json': TraceFacets } } },
    errors: ['validation_failed'],
  },
} as const satisfies Record<string, Operation>
