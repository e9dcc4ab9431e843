import type { Timers } from '../lib/time/timers.ts'
import type { DeliveryRequest, DeliverySender, SendOutcome } from '../ports/webhooks/delivery-sender.ts'
import type { Connection } from './connection.ts'
import { ConnectionPool } from './connection-pool.ts'
import { Exchange, type ExchangeEnd } from './exchange.ts'
import type { GuardedConnectDependencies, ResolveName } from './guarded-connect.ts'
import { SharedLookups } from './shared-lookups.ts'
import { systemResolve } from './system-resolve.ts'

/** From the look-up of the name to the end of the answer. */
const TIME_LIMIT_MS = 15_000
/** Of that for the name, so that one that hangs is told apart from a receiver that does. */
const LOOKUP_SHARE = 2 / 3
/** A name without an address to send to fails after whole multiples of this: how long its look-up took would tell whether there is such a name. */
const NAME_FAILURE_STEP_MS = 1000

export interface UndiciDeliverySenderDependencies extends Omit<GuardedConnectDependencies, 'resolve'> {
  /** Without it, names are resolved as the system does. */
  readonly resolve?: ResolveName
  readonly timers: Timers
  readonly timeLimitMs?: number
  /** See `NAME_FAILURE_STEP_MS`. */
  readonly nameFailureStepMs?: number
}

/**
 * Sends over HTTP/1.1 with connections kept alive. Reads no proxy from the environment, asks for no compression and undoes none, follows no redirect, and reads 16 KiB of an answer: then it
 * closes the connection.
 */
export class UndiciDeliverySender implements DeliverySender {
  readonly #pool: ConnectionPool
  readonly #lookups: SharedLookups
  readonly #timers: Timers
  readonly #timeLimitMs: number
  readonly #nameFailureStepMs: number
  readonly #interruptions = new Set<() => void>()
  #isClosed = false

  constructor({ timers, timeLimitMs, nameFailureStepMs, resolve, ...connecting }: UndiciDeliverySenderDependencies) {
    this.#timers = timers
    this.#timeLimitMs = timeLimitMs ?? TIME_LIMIT_MS
    this.#nameFailureStepMs = Math.min(nameFailureStepMs ?? NAME_FAILURE_STEP_MS, this.#timeLimitMs)
    const patienceMs = this.#timeLimitMs * LOOKUP_SHARE
    this.#lookups = new SharedLookups({ resolve: resolve ?? systemResolve, timers, patienceMs })
    this.#pool = new ConnectionPool({ ...connecting, resolve: (name, tell) => this.#lookups.resolve(name, tell) })
  }

  /** Connections open or being made. */
  get connections(): number {
    return this.#pool.size
  }

  send(request: DeliveryRequest, signal: AbortSignal): Promise<SendOutcome> {
    if (this.#isClosed || signal.aborted) return Promise.resolve(INTERRUPTED)
    const url = URL.parse(request.url)
    if (url === null) return Promise.resolve(UNUSABLE)
    return new Promise((resolve) => this.#exchange(url, request, signal, resolve))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const interrupt of this.#interruptions) interrupt()
    this.#lookups.close()
    await this.#pool.close()
  }

  #exchange(url: URL, request: DeliveryRequest, signal: AbortSignal, resolve: (outcome: SendOutcome) => void): void {
    const begunAt = this.#timers.now()
    let connection: Connection
    let exchange: Exchange
    let cancelHold: (() => void) | null = null
    const begin = (isNew: boolean) => {
      connection = this.#pool.take(url, { isNew })
      exchange = new Exchange(ended)
      const { body, headers } = request
      connection.dispatch({ method: 'POST', path: `${url.pathname}${url.search}`, headers, body }, exchange)
    }
    const ended = ({ isReusable, wasClosedUnanswered, response, error }: ExchangeEnd) => {
      // Closed by a receiver that had kept it long enough, just when the request went out: the fault of nobody.
      const wasStale = wasClosedUnanswered && connection.isUsed
      if (isReusable) this.#pool.giveBack(connection)
      else this.#pool.discard(connection)
      if (wasStale) return begin(true)
      if (error?.code !== 'dns_failed') return settle({ response, error })
      const stepMs = this.#nameFailureStepMs
      const heldMs = stepMs - ((this.#timers.now() - begunAt) % stepMs)
      cancelHold = this.#timers.after(heldMs, () => settle({ response, error }))
    }
    const settle = (outcome: SendOutcome) => {
      cancelLimit()
      signal.removeEventListener('abort', interrupt)
      this.#interruptions.delete(interrupt)
      resolve(outcome)
    }
    const interrupt = () => {
      if (cancelHold === null) return exchange.fail(INTERRUPTED.error)
      cancelHold()
      settle(INTERRUPTED)
    }
    const cancelLimit = this.#timers.after(this.#timeLimitMs, () =>
      exchange.fail({ code: 'timeout', detail: `${exchange.awaited} within ${this.#timeLimitMs / 1000} s` }),
    )
    signal.addEventListener('abort', interrupt)
    this.#interruptions.add(interrupt)
    begin(false)
  }
}

const UNUSABLE = {
  response: null,
  error: { code: 'connection_failed' as const, detail: 'the url cannot be used' },
}
const INTERRUPTED = {
  response: null,
  error: { code: 'interrupted' as const, detail: 'the service stopped before an answer came' },
}
