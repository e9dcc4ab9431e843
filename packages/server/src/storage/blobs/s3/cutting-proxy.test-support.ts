import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** For tests: a proxy to a service on loopback that can be cut, closed and blocked. */
export class CuttingProxy implements AsyncDisposable {
  /** Number of connections made. */
  connections = 0
  /** Bytes from the service, or from clients. */
  receivedBytes = 0
  sentBytes = 0
  /** Called with every piece; may cut or block. */
  onBytes: () => void = () => undefined
  readonly #server: Server
  readonly #target: URL
  readonly #sockets = new Set<Socket>()
  #closed = false
  #blocked = false

  private constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((client) => this.#join(client))
  }

  static async open(target: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Ends every connection as a crash would. New ones are accepted. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** The service is gone: connections are cut, and new ones are refused. */
  close(): void {
    this.#closed = true
    this.cut()
  }

  /** Connections stay open, and no bytes move. */
  block(): void {
    this.#blocked = true
    for (const socket of this.#sockets) socket.pause()
  }

  reopen(): void {
    this.#closed = false
    this.#blocked = false
    this.onBytes = () => undefined
    for (const socket of this.#sockets) socket.resume()
  }

  #join(client: Socket): void {
    this.connections += 1
    if (this.#closed) return void client.resetAndDestroy()
    const service = connect({ host: this.#target.hostname, port: Number(this.#target.port) })
    this.#pass(client, service, (bytes) => (this.sentBytes += bytes))
    this.#pass(service, client, (bytes) => (this.receivedBytes += bytes))
  }

  #pass(from: Socket, to: Socket, count: (bytes: number) => void): void {
    this.#sockets.add(from)
    if (this.#blocked) from.pause()
    from.on('data', (chunk) => {
      count(chunk.length)
      if (!to.write(chunk)) from.pause()
      this.onBytes()
    })
    to.on('drain', () => {
      if (!this.#blocked) from.resume()
    })
    from.on('end', () => to.end())
    // The end of one side ends the other; the reason does not matter here.
    from.on('error', () => undefined)
    from.on('close', () => {
      this.#sockets.delete(from)
      to.destroy()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
