import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SendApiRequest } from '../../mcp/api.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { refuseForeignPage } from '../access/own-origin.ts'
import { bodyRules } from '../bodies/read-rules.ts'
import { withBody } from '../bodies/request-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'

/** Any valid key: each tool sends requests to the API with the key, and they check its scopes. */
const config = { scopes: [], admission: 'key' } as const

/** Of the caller, for the requests of its tools. No cookie: a session is no credential of this route. */
const PASSED_ON = ['x-api-key', 'authorization', 'host', 'x-forwarded-proto'] as const

/** The Model Context Protocol, stateless. It is no operation of the API, because the protocol defines it. */
export function registerMcpRoute(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { limits, version } = dependencies
  const rules = bodyRules(dependencies)
  const mostBytes = Math.max(limits.controlBodyBytes, limits.metricEventBytes)
  app.post('/mcp', { config }, (request, reply) => {
    refuseForeignPage(request.headers)
    if (request.session !== null) throw new DomainError('unauthorized', 'This route takes a key, not a session.')
    return withBody(request, mostBytes, rules, async (body) => {
      // The library would run all calls of a batch at once. The protocol has none since 2025-06-18.
      if (body.toString('latin1').trimStart().startsWith('[')) {
        throw new DomainError('bad_request', 'Send one message in each request.')
      }
      // Only a few services are asked by agents, and the library takes a while to load.
      const { answerMcp } = await import('../../mcp/mcp-handler.ts')
      const onError = (error: unknown) => request.log.error({ error }, 'a tool failed')
      const answer = await answerMcp(toWebRequest(request, body), { version, send: sendAs(request, app), onError })
      const type = answer.headers.get('content-type')
      if (type !== null) reply.header('content-type', type)
      return reply.code(answer.status).send(await answer.text())
    })
  })
}

function toWebRequest({ headers }: FastifyRequest, body: Buffer): Request {
  const single = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  // The address is not used, but must be absolute.
  return new Request('http://localhost/mcp', { method: 'POST', headers: single, body: new Uint8Array(body) })
}

/** Requests within the process, which pass the same checks as those from outside. */
function sendAs(caller: FastifyRequest, app: FastifyInstance): SendApiRequest {
  const headers: Record<string, string> = { 'x-request-id': caller.id }
  for (const name of PASSED_ON) {
    const value = caller.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return async ({ method, path, query, body }) => {
    const url = query === undefined || query.size === 0 ? path : `${path}?${query.toString()}`
    const answer = await app.inject({
      method,
      url,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: answer.payload }
  }
}
