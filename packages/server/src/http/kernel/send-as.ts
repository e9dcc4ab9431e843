import type { FastifyInstance, FastifyRequest } from 'fastify'
import { currentRequester, onBehalfOfService, signalOf } from '../../lib/flow/requester.ts'
import type { SendApiRequest } from '../../mcp/api.ts'
import { projectInPath } from '../access/project-in-path.ts'

/** Of the caller. A route that takes no session MUST refuse it first. */
const PASSED_ON = ['x-api-key', 'authorization', 'cookie', 'host', 'x-forwarded-proto'] as const

/** Sends requests within the process with its caller's credential: they pass the same checks as any from outside. */
export function sendAs(caller: FastifyRequest, app: FastifyInstance): SendApiRequest {
  const headers: Record<string, string> = { 'x-request-id': caller.id }
  for (const name of PASSED_ON) {
    const value = caller.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  const project = projectInPath(caller.raw)
  const before = project === null ? '' : `/p/${project}`
  return async ({ method, path, query, body }) => {
    const url = before + (query === undefined || query.size === 0 ? path : `${path}?${query.toString()}`)
    // Reads for a caller that has left end. Writes do not depend on their caller.
    signalOf(currentRequester())?.throwIfAborted()
    const inject = () =>
      app.inject({
        method,
        url,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { payload: body }),
      })
    const answer = await (method === 'GET' ? inject() : onBehalfOfService(inject))
    const { 'retry-after': retryAfter } = answer.headers
    return {
      status: answer.statusCode,
      body: answer.payload,
      retryAfter: retryAfter === undefined ? null : String(retryAfter),
    }
  }
}
