import type { Socket } from 'node:net'
import { Client, type Dispatcher } from 'undici'
import { ConnectError } from './connect-error.ts'
import { guardedConnect, type GuardedConnectDependencies } from './guarded-connect.ts'

/** More header than this and the answer is none. */
const HEADER_BYTES = 32 * 1024
/** Shorter than what servers commonly keep an idle connection for; what a receiver announces counts, up to the longest. */
const IDLE_MS = 4000
const IDLE_LONGEST_MS = 30_000

/** One connection to one origin, made when the first request goes out, and never made again. Carries one request at a time. */
export class Connection {
  readonly origin: string
  /** Whether an answer has come over it: its receiver may have closed it meanwhile, unnoticed. */
  isUsed = false
  readonly #client: Client
  #socket: Socket | null = null
  #giveUp: () => void = () => undefined

  /** @param gone called when it was closed, by whomever */
  constructor(url: URL, dependencies: GuardedConnectDependencies, gone: (connection: Connection) => void) {
    this.origin = url.origin
    const isSecure = url.protocol === 'https:'
    this.#client = new Client(url.origin, {
      connect: ({ hostname, port }, callback) => {
        if (this.#socket !== null) {
          callback(new ConnectError('connection_failed', 'the connection was closed'), null)
          return
        }
        const target = { isSecure, host: hostname, port: port === '' ? (isSecure ? 443 : 80) : Number(port) }
        this.#giveUp = guardedConnect(dependencies, target, (error, socket) => {
          this.#socket = socket
          if (socket !== null) callback(null, socket)
          else if (error !== null) callback(error, null)
        })
      },
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_LONGEST_MS,
      // The time limit of the whole exchange covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    this.#client.on('disconnect', () => gone(this))
    this.#client.on('connectionError', () => gone(this))
  }

  /** Whether it can carry another request. */
  get isOpen(): boolean {
    return this.#socket !== null && !this.#socket.destroyed && this.#socket.readable && this.#socket.writable
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch(options, handler)
  }

  /** At once, whatever it is about. */
  async destroy(): Promise<void> {
    this.#giveUp()
    await this.#client.destroy()
  }
}
