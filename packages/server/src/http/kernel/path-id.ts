import { type IdPrefix, isId } from '@spoor/contract/ids'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'

/** An id of the path. What is not even well-formed names nothing: `not_found`. */
export function pathId<P extends IdPrefix>(request: FastifyRequest, parameter: string, prefix: P) {
  const text: unknown = (request.params as Readonly<Record<string, unknown>>)[parameter]
  if (!isId(prefix, text)) throw new DomainError('not_found', 'There is no such thing here.')
  return text
}
