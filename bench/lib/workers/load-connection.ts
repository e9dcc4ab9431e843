import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

interface Answer {
  readonly status: number
  /** Value of Retry-After; 0 without it. */
  readonly retryAfterMs: number
  /** The whole response, for failures. */
  text(): string
}

const HEAD_END = Buffer.from('\r\n\r\n')
/**
 * Requests are not pipelined, so this sequence is the end of a chunked response. JSON never contains it, because line
 * ends are escaped.
 */
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

/** One keep-alive connection with at most one pending request. */
export class LoadConnection {
  readonly #socket: Socket
  #received: Buffer[] = []
  /** Remaining bytes of this response; null until its head has arrived, NaN for a chunked one. */
  #missing: number | null = null
  #settle: { resolve(answer: Answer): void; reject(error: Error): void } | null = null

  static async open(port: number): Promise<LoadConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    return new LoadConnection(socket)
  }

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (bytes) => this.#take(bytes))
    socket.on('error', (error) => this.#settle?.reject(error))
    socket.on('close', () => this.#settle?.reject(new Error('the service closed the connection')))
  }

  exchange(request: Uint8Array): Promise<Answer> {
    this.#received = []
    this.#missing = null
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    this.#received.push(bytes)
    if (this.#missing === null) this.#readHead()
    else if (!Number.isNaN(this.#missing)) this.#missing -= bytes.length
    if (this.#missing === null) return
    const ended = Number.isNaN(this.#missing) ? this.#endsWithLastChunk(bytes) : this.#missing <= 0
    if (ended) this.#finish()
  }

  #readHead(): void {
    const received = this.#whole()
    const end = received.indexOf(HEAD_END)
    if (end < 0) return
    const head = received.toString('latin1', 0, end)
    // A 204 has no body and no length.
    const length = head.startsWith('HTTP/1.1 204') ? '0' : /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    this.#missing = length === undefined ? NaN : Number(length) - (received.length - end - HEAD_END.length)
  }

  #endsWithLastChunk(bytes: Buffer): boolean {
    const tail = bytes.length >= LAST_CHUNK.length ? bytes : this.#whole()
    return tail.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
  }

  #finish(): void {
    const settle = this.#settle
    this.#settle = null
    const received = this.#received
    const status = Number(received[0]!.toString('latin1', 9, 12))
    const retryAfter = status === 503 ? /\r\nretry-after: (\d+)/i.exec(received[0]!.toString('latin1'))?.[1] : undefined
    settle?.resolve({
      status,
      retryAfterMs: 1000 * Number(retryAfter ?? 0),
      text: () => Buffer.concat(received).toString(),
    })
  }

  #whole(): Buffer {
    if (this.#received.length > 1) this.#received = [Buffer.concat(this.#received)]
    return this.#received[0]!
  }
}
