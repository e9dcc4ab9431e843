import type { Scope } from '@spoor/contract/scopes'
import type { FastifyRequest } from 'fastify'
import { DomainError } from '../lib/domain-error.ts'
import type { Authenticator, Principal } from './ports.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
  }
}

/** Sets `request.principal`, before any body is read. Every refused key gets the same answer. `scopes` empty: any live key will do. */
export async function authenticate(
  request: FastifyRequest,
  authenticator: Authenticator,
  scopes: readonly Scope[],
): Promise<void> {
  const secret = request.headers['x-api-key']
  const principal = await authenticator.authenticate(typeof secret === 'string' ? secret : undefined)
  if (scopes.length > 0 && !scopes.some((scope) => principal.scopes.has(scope))) {
    throw new DomainError('insufficient_scope', `This needs a key with the scope ${scopes.join(' or ')}.`)
  }
  request.principal = principal
}

/** The sender of a request to a route that needs a key. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error('the route was reached without authentication')
  return request.principal
}
