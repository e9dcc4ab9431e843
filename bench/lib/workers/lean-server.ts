import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')

/**
 * Accepts POST requests over keep-alive connections and answers each with 200 at once, or never. It costs little more
 * than the sockets, because the service needs both cores. `take` is called with each complete request.
 */
export class LeanServer {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #take: (request: Buffer) => void
  /** Whether requests are answered from now on. */
  answers = true

  static async listen(take: (request: Buffer) => void): Promise<LeanServer> {
    const server = new LeanServer(take)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  private constructor(take: (request: Buffer) => void) {
    this.#take = take
    this.#server = createServer({ noDelay: true }, (socket) => this.#serve(socket))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes])
      for (let end = endOfRequest(received); end !== null; end = endOfRequest(received)) {
        this.#take(received.subarray(0, end))
        received = received.subarray(end)
        if (this.answers) socket.write(ANSWER)
      }
    })
  }
}

/** Null while the request is incomplete. */
function endOfRequest(received: Buffer): number | null {
  const head = received.indexOf(HEAD_END)
  if (head < 0) return null
  const length = /\r\ncontent-length: (\d+)/i.exec(received.toString('latin1', 0, head))?.[1]
  const end = head + HEAD_END.length + Number(length ?? 0)
  return received.length < end ? null : end
}
