import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from './receiver-certificate.test-support.ts'

export interface RawReceiver {
  readonly port: number
  /** Connections taken so far. */
  readonly connections: () => number
  /** Whole requests, as they came. */
  readonly requests: readonly string[]
  close(): Promise<void>
}

/** The receiver's handler of a complete request; `number` counts from 1, over all connections. */
export type Answer = (socket: Socket, number: number) => void

export const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** A server of bytes rather than of HTTP, so that it can do whatever is wrong. */
export async function startReceiver(
  answer: Answer,
  options: { readonly isSecure?: boolean; readonly host?: string } = {},
): Promise<RawReceiver> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  let connections = 0
  const onConnection = (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    let pending = ''
    socket.on('data', (chunk: Buffer) => {
      pending += chunk.toString('latin1')
      const end = pending.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0)
      if (end < 0 || pending.length < end + 4 + length) return
      requests.push(pending)
      pending = ''
      answer(socket, requests.length)
    })
  }
  const server: Server = options.isSecure
    ? createTlsServer({ key: RECEIVER_KEY, cert: RECEIVER_CERTIFICATE }, onConnection)
    : createServer(onConnection)
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((listening) => server.listen(0, options.host ?? '127.0.0.1', listening))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => connections,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
