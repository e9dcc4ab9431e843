import type { ProjectId } from '@spoor/contract/ids'
import type { FastifyRequest } from 'fastify'

/** The project of a request on a route that is no operation. Routes with scopes are authenticated. */
export function ownProject({ principal }: Pick<FastifyRequest, 'principal'>): ProjectId {
  if (principal === null) throw new Error('a request without a principal')
  return principal.projectId
}
