import { type Admission, contentTypesOf, type Operation, SAFE_METHODS } from '@spoor/contract/operations/operation'
import type { Scope } from '@spoor/contract/scopes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forClient } from '../connections/for-client.ts'
import { refuseUnacceptable } from '../bodies/media-types.ts'
import { refuseUnknownParameters } from './query.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** As `Operation.scopes`; a route without it is public. */
    scopes?: readonly Scope[] | null
    /** As `Operation.admission`. */
    admission?: Admission | null
    /** Stays open as long as the client wants: its duration says nothing. */
    endless?: boolean
  }
}

export interface RouteOptions {
  readonly endless?: boolean
  /** Reads for its client though its method is not one that only reads. */
  readonly reads?: boolean
}

/** Serves an operation of the contract: method, path, scopes, query parameters and content types come from there. */
export function serve(
  app: FastifyInstance,
  operation: Operation,
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
  options: RouteOptions = {},
): void {
  const check = requestCheck(operation)
  const isRead = options.reads ?? (SAFE_METHODS.has(operation.method) && options.endless !== true)
  app.route({
    method: operation.method,
    url: operation.path,
    // Load balancers ask for health with HEAD.
    exposeHeadRoute: operation.scopes === null && operation.method === 'GET',
    config: { scopes: operation.scopes, admission: operation.admission ?? null, endless: options.endless ?? false },
    handler: (request, reply) => {
      check(request)
      return isRead ? forClient(request, reply, () => handler(request, reply)) : handler(request, reply)
    },
  })
}

/** Refuses what the operation does not take, behind authentication and before any of the body is read. */
function requestCheck(operation: Operation): (request: FastifyRequest) => void {
  if (operation.takesAnyHead === true) return () => {}
  const checkQuery = refuseUnknownParameters(operation.query)
  const checkAccept = refuseUnacceptable(contentTypesOf(operation))
  return (request) => {
    checkQuery(request.url)
    checkAccept(request.headers.accept)
  }
}
