import { OPERATIONS } from '@spoor/contract/operations'
import { isMetadataField, metadataKey } from '@spoor/contract/schemas/traces/metadata-field'
import { FACET_LIMIT, type TraceFacetsQuery } from '@spoor/contract/schemas/traces/trace-facets'
import type { FastifyInstance } from 'fastify'
import type { TraceFacetField } from '../../../ports/traces/trace-facets.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'

export function registerFacetRoute(app: FastifyInstance, { facets }: Pick<HttpDependencies, 'facets'>): void {
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
}

function toField(field: TraceFacetsQuery['field']): TraceFacetField {
  if (isMetadataField(field)) return { by: 'metadata', key: metadataKey(field) }
  return { by: field === 'metadata' ? 'metadata_key' : field }
}
