import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DomainError } from '../../lib/domain-error.ts'
import type { Readiness } from '../../operation/readiness.ts'
import { toProblem } from '../kernel/problem.ts'

// Not imported: see `broken-connection.ts`.
const { createServer } = process.getBuiltinModule('node:http')

/** Holds the address of a service that is still starting, so that no other process can take it. */
export interface StartingServer {
  /** The port it listens on, also if the system chose it. */
  readonly port: number
  /** Stops listening and ends its connections. The port is free when this returns. */
  release(): void
}

export interface StartingServerOptions {
  readonly host: string
  /** 0: the system chooses one. */
  readonly port: number
  readonly version: string
  readonly readiness: Pick<Readiness, 'parts'>
  newRequestId(): string
}

/**
 * Listens before the stores are opened: `/healthz` answers 200, `/readyz` and everything else 503 with `Retry-After`.
 * Rejects with Node's own error if it cannot listen.
 */
export async function holdAddress(options: StartingServerOptions): Promise<StartingServer> {
  const server = createServer((request, response) => {
    // Bodies are not read, so the connection cannot be reused.
    response.setHeader('connection', 'close')
    const path = request.url?.split('?', 1)[0]
    if (path === '/healthz') return sendJson(response, 200, { status: 'ok', version: options.version })
    if (path === '/readyz') {
      response.setHeader('retry-after', '1')
      return sendJson(response, 503, { status: 'unavailable', checks: options.readiness.parts() })
    }
    const error = new DomainError('starting', 'The service is starting; try again.', { retryAfterSeconds: 1 })
    const { status, headers, body } = toProblem(error, options.newRequestId())
    response.setHeaders(new Map(Object.entries({ ...headers, 'x-request-id': body.request_id })))
    sendJson(response, status, body)
  })
  server.listen({ host: options.host, port: options.port })
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    release: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json; charset=utf-8')
  response.writeHead(status).end(JSON.stringify(body))
}
