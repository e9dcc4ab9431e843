import { OPERATIONS } from '@spoor/contract/operations'
import { METADATA_GROUP } from '@spoor/contract/schemas/series-query'
import { FACET_FIELDS, FACET_LIMIT, TraceFacetsQuery } from '@spoor/contract/schemas/traces/trace-facets'
import type { FastifyInstance } from 'fastify'
import type { TraceFacetField } from '../../ports/traces/trace-facets.ts'
import { principalOf } from '../access/authentication.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { compileQuery } from '../kernel/query.ts'
import { serve } from '../kernel/route.ts'
import { invalid } from '../kernel/validate.ts'

export function registerFacetRoute(app: FastifyInstance, { facets }: Pick<HttpDependencies, 'facets'>): void {
  const readQuery = compileQuery(TraceFacetsQuery)

  serve(app, OPERATIONS.getTraceFacets, async (request, reply) => {
    const { field, q, limit } = readQuery(request.url)
    const found = await facets.traceFacets({
      projectId: principalOf(request).projectId,
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
  throw invalid([{ pointer: '?field', code: 'invalid_value', detail }])
}
