import { OPERATIONS } from '@spoor/contract/operations'
import { METADATA_GROUP } from '@spoor/contract/schemas/series-query'
import { FACET_FIELDS, FACET_LIMIT } from '@spoor/contract/schemas/traces/trace-facets'
import type { FastifyInstance } from 'fastify'
import type { TraceFacetField } from '../../ports/traces/trace-facets.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { serve } from '../kernel/route.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'

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

function toField(text: string): TraceFacetField {
  const field = FACET_FIELDS.find((name) => name === text)
  if (field !== undefined) return { by: field === 'metadata' ? 'metadata_key' : field }
  const key = text.startsWith(METADATA_GROUP) ? text.slice(METADATA_GROUP.length) : ''
  if (key !== '') return { by: 'metadata', key }
  const detail = `It must be one of ${FACET_FIELDS.join(', ')}, or ${METADATA_GROUP} and a key.`
  throw invalid({ pointer: '?field', code: 'invalid_value', detail })
}
