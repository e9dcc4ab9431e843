import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { ByteGate } from '../../lib/flow/byte-gate.ts'
import { currentRequester, signalOf } from '../../lib/flow/requester.ts'
import { JsonScanner } from '../../lib/json/json-scan.ts'
import { parseScannedJson } from '../../lib/json/parse-json.ts'
import { refuseForeignPage } from '../access/own-origin.ts'
import { bodyRules } from '../bodies/read-rules.ts'
import { withBody } from '../bodies/request-body.ts'
import { forClient } from '../connections/for-client.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { sendAs } from '../kernel/send-as.ts'

/** Any valid key: each tool sends requests to the API with the key, and they check its scopes. */
const config = { scopes: [], admission: 'key' } as const

/** Memory of a call: the steps that it reads are larger than its answer, which shortens them. */
const CALL_BYTES = 8 * 1024 * 1024
/** Of all calls. One project alone gets half: four calls at once. */
const CALLS_BYTES = 8 * CALL_BYTES
/** The arguments of a tool are the body of a request, two levels down in the message. */
const LEVELS_ABOVE_ARGUMENTS = 2

/** The Model Context Protocol, stateless. It is no operation of the API, because the protocol defines it. */
export function registerMcpRoute(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { limits, version } = dependencies
  const rules = bodyRules(dependencies)
  const mostBytes = Math.max(limits.controlBodyBytes, limits.metricEventBytes)
  const room = new ByteGate(CALLS_BYTES)
  app.post('/mcp', { config }, (request, reply) => {
    refuseForeignPage(request.headers)
    if (request.session !== null) throw new DomainError('unauthorized', 'This route takes a key, not a session.')
    const answer = async (body: Buffer) => {
      refuseDeepNesting(body, limits.jsonDepth + LEVELS_ABOVE_ARGUMENTS)
      // The library would run all calls of a batch at once. The protocol has none since 2025-06-18.
      if (body.toString('latin1').trimStart().startsWith('[')) {
        throw new DomainError('bad_request', 'Send one message in each request.')
      }
      // Few services have MCP clients, and the library takes a while to load.
      const { answerMcp } = await import('../../mcp/mcp-handler.ts')
      const left = signalOf(currentRequester())
      const onError = (error: unknown) => {
        // The tool of a caller that has left fails at its next read.
        if (left?.aborted !== true) request.log.error({ error }, 'a tool failed')
      }
      const held = await room.acquire(CALL_BYTES)
      try {
        const answered = await answerMcp(toWebRequest(request, body), { version, send: sendAs(request, app), onError })
        return { status: answered.status, type: answered.headers.get('content-type'), text: await answered.text() }
      } finally {
        held.release()
      }
    }
    return withBody(request, mostBytes, rules, async (body) => {
      const { status, type, text } = await forClient(request, reply, () => answer(body))
      if (type !== null) reply.header('content-type', type)
      return reply.code(status).send(text)
    })
  })
}

/** The library would fail at it. It reports all other errors of a message. */
function refuseDeepNesting(body: Buffer, maxDepth: number): void {
  const scanner = new JsonScanner(body, maxDepth)
  scanner.skipValue()
  if (scanner.failure === 'too_deep') parseScannedJson(scanner)
}

function toWebRequest({ headers }: FastifyRequest, body: Buffer): Request {
  const single = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  // The address is not used, but must be absolute.
  return new Request('http://localhost/mcp', { method: 'POST', headers: single, body: new Uint8Array(body) })
}
