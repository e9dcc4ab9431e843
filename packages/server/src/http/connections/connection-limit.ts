import type { Server, Socket } from 'node:net'
import { DomainError } from '../../lib/domain-error.ts'
import { FairShares } from '../../lib/flow/fair-shares.ts'
import { networkOf, parseIpAddress } from '../../lib/net/ip-address.ts'
import type { Timers } from '../../lib/time/timers.ts'
import { answerWithoutRequest } from './broken-connection.ts'

export interface ConnectionLimitOptions {
  /** Connections open at once. */
  readonly most: number
  readonly timers: Timers
  readonly newRequestId: () => string
  readonly opened: () => void
  readonly closed: () => void
  readonly refused: () => void
}

/** How long a refused connection stays open, so that its client can read the answer. */
const LINGER_MS = 1000
/** The most refused connections open at once; further ones are closed without an answer. */
const MOST_LINGERING = 100
/** One host may have a whole /64 network of IPv6. */
const HOST_BITS = 64

/**
 * Limits the open connections and divides them between source addresses (FairShares). A refused connection gets
 * `too_many_connections`, whatever it requests. Behind a reverse proxy all clients share one address, which gets half
 * of the connections.
 */
export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions
  readonly #shares: FairShares
  #lingering = 0

  constructor(options: ConnectionLimitOptions) {
    this.#options = options
    this.#shares = new FairShares(options.most)
  }

  /** Runs before all other listeners for connections. Call it before the server listens. */
  guard(server: Server): void {
    const accept = server.listeners('connection')
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      if (!this.#admit(socket)) return this.#refuse(socket)
      for (const listener of accept) listener.call(server, socket)
    })
  }

  #admit(socket: Socket): boolean {
    const owner = sourceOf(socket)
    if (!this.#shares.tryTake(owner, 1)) return false
    this.#options.opened()
    socket.once('close', () => {
      this.#shares.release(owner, 1)
      this.#options.closed()
    })
    return true
  }

  #refuse(socket: Socket): void {
    this.#options.refused()
    if (this.#lingering === MOST_LINGERING) return void socket.destroy()
    this.#lingering++
    // Unread bytes would reset the connection, and the answer would be lost.
    socket.on('error', () => socket.destroy()).resume()
    const error = new DomainError('too_many_connections', 'Too many connections are open; close some and try again.', {
      retryAfterSeconds: 1,
    })
    answerWithoutRequest(socket, error, this.#options.newRequestId())
    const cancel = this.#options.timers.after(LINGER_MS, () => socket.destroy())
    socket
      .once('end', () => socket.destroy())
      .once('close', () => {
        cancel()
        this.#lingering--
      })
  }
}

/** The remote host, as far as its address identifies it. */
function sourceOf({ remoteAddress }: Socket): string {
  const address = parseIpAddress(remoteAddress ?? '')
  if (address === null) return 'unknown'
  return (address.kind() === 'ipv4' ? address : networkOf(address, HOST_BITS)).toString()
}
