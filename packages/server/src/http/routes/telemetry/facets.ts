import { OPERATIONS } from '@spoor/contract/operations'
import { isMetadataField, metadataKey } from '@spoor/contract/schemas/traces/metadata-field'
import {
  FACET_LIMIT,
  type STEP_FACET_FIELDS,
  type StepFacetsQuery,
  type TraceFacetsQuery,
} from '@spoor/contract/schemas/traces/trace-facets'
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { StepFacetField } from '../../../ports/traces/step-facets.ts'
import { sendHeldJson } from '../../connections/held-answer.ts'
import { queryPairs } from '../../kernel/query.ts'
import { toFeedFilters } from './feed-filters.ts'
import type { TraceFacetField } from '../../../ports/traces/trace-facets.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'

export function registerFacetRoute(app: FastifyInstance, { facets, stepFacets, answers }: HttpDependencies): void {
  serve(app, OPERATIONS.getTraceFacets, async ({ projectId, query, reply }) => {
    const { field, q, limit } = query
    const found = await facets.traceFacets({
      projectId,
      field: toField(field),
      containing: q ?? null,
      limit: Math.min(limit ?? FACET_LIMIT.default, FACET_LIMIT.most),
    })
    return reply.send({ field, ...found })
  })

  serve(app, OPERATIONS.getStepFacets, async ({ projectId, query, request, reply }) => {
    const { field, q, limit, text, ...filters } = query
    const asked = {
      ...toFeedFilters({ ...filters, ...(text === undefined ? {} : { q: text }) }, queryPairs(request.url)),
      projectId,
      field: toStepField(field),
      containing: q ?? null,
      limit: Math.min(limit ?? FACET_LIMIT.default, FACET_LIMIT.most),
    }
    return sendHeldJson(reply, answers, async () => JSON.stringify({ field, ...(await stepFacets(asked)) }))
  })
}

function toField(field: TraceFacetsQuery['field']): TraceFacetField {
  if (isMetadataField(field)) return { by: 'metadata', key: metadataKey(field) }
  return { by: field === 'metadata' ? 'metadata_key' : field }
}

function toStepField(field: Static<typeof StepFacetsQuery>['field']): StepFacetField {
  return field.startsWith('argument.')
    ? { by: 'path', path: field.slice('argument.'.length) }
    : { by: field as (typeof STEP_FACET_FIELDS)[number] }
}
