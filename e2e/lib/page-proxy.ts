import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Service } from './service.ts'

interface Seen {
  readonly path: string
  readonly range: string | null
  readonly status: number
}

/** One origin for a browser: a page of the test's own, and the service behind it, with the key that a browser does not have. */
export interface PageProxy extends AsyncDisposable {
  readonly url: string
  /** What `/page` answers with from now on. */
  setPage(html: string): void
  /** Every request so far, with what the service answered. */
  readonly seen: readonly Seen[]
}

export async function startPageProxy(service: Service): Promise<PageProxy> {
  const { hostname, port } = new URL(service.url)
  const seen: Seen[] = []
  let page = ''
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/'
    const note = (status: number) => seen.push({ path, range: incoming.headers.range ?? null, status })
    if (!path.startsWith('/v1/')) {
      const status = path === '/page' ? 200 : 404
      note(status)
      outgoing.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(status === 200 ? page : '')
      return
    }
    const headers = { ...incoming.headers, host: `${hostname}:${port}`, 'x-api-key': service.key }
    const { method = 'GET' } = incoming
    const behind = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      note(answer.statusCode ?? 0)
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      // A player that has enough closes its connection.
      outgoing.on('close', () => behind.destroy())
    })
    behind.on('error', () => outgoing.destroy())
    incoming.pipe(behind)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setPage: (html) => (page = html),
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
