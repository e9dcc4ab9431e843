import { lookup } from 'node:dns'
import type { Timers } from '../lib/time/timers.ts'
import type { DeliveryRequest, DeliverySender, SendOutcome } from '../ports/webhooks/delivery-sender.ts'
import type { ResolveName, GuardedConnectorOptions } from './guarded-connector.ts'
import { ConnectionPools } from './connection-pools.ts'
import { Exchange, type ExchangeEnd } from './exchange.ts'
import { SharedLookups } from './shared-lookups.ts'

/** Resolves as other programs of the machine do, its hosts file included. */
const systemResolve: ResolveName = (name, report) => {
  lookup(name, { all: true }, (error, addresses) => report(error === null ? addresses : []))
}

/** From the DNS lookup to the end of the answer. */
const TIME_LIMIT_MS = 15_000
/** The part of it that a lookup may take, so that a slow name and a slow receiver are reported differently. */
const LOOKUP_SHARE = 2 / 3
/**
 * A name without an allowed address fails after a multiple of this time: the exact time would show whether it exists.
 */
const NAME_FAILURE_STEP_MS = 1000

export interface UndiciDeliverySenderDependencies extends Omit<GuardedConnectorOptions, 'resolve' | 'timeoutMs'> {
  /** Default: the resolver of the system. */
  readonly resolve?: ResolveName
  readonly timers: Timers
  readonly timeLimitMs?: number
  /** See `NAME_FAILURE_STEP_MS`. */
  readonly nameFailureStepMs?: number
}

/**
 * Sends over HTTP/1.1 and keeps connections. Uses no proxy of the environment, requests and decodes no compression,
 * follows no redirect, and closes the connection after 16 KiB of a body.
 */
export class UndiciDeliverySender implements DeliverySender {
  readonly #pools: ConnectionPools
  readonly #lookups: SharedLookups
  readonly #timers: Timers
  readonly #timeLimitMs: number
  readonly #nameFailureStepMs: number
  /** One function for each send under way. */
  readonly #interruptions = new Set<() => void>()
  #isClosed = false

  constructor({ timers, timeLimitMs, nameFailureStepMs, resolve, ...connecting }: UndiciDeliverySenderDependencies) {
    this.#timers = timers
    this.#timeLimitMs = timeLimitMs ?? TIME_LIMIT_MS
    this.#nameFailureStepMs = Math.min(nameFailureStepMs ?? NAME_FAILURE_STEP_MS, this.#timeLimitMs)
    const patienceMs = this.#timeLimitMs * LOOKUP_SHARE
    this.#lookups = new SharedLookups({ resolve: resolve ?? systemResolve, timers, patienceMs })
    this.#pools = new ConnectionPools({
      ...connecting,
      resolve: (name, report) => this.#lookups.resolve(name, report),
      timeoutMs: this.#timeLimitMs,
    })
  }

  /** Open connections. */
  get connections(): number {
    return this.#pools.size
  }

  send(request: DeliveryRequest, signal: AbortSignal): Promise<SendOutcome> {
    if (this.#isClosed || signal.aborted) return Promise.resolve(INTERRUPTED)
    const url = URL.parse(request.url)
    if (url === null || !/^https?:$/.test(url.protocol)) return Promise.resolve(UNUSABLE)
    return new Promise((resolve) => this.#send(url, request, signal, resolve))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const interrupt of this.#interruptions) interrupt()
    this.#lookups.close()
    await this.#pools.close()
  }

  #send(url: URL, request: DeliveryRequest, signal: AbortSignal, resolve: (outcome: SendOutcome) => void): void {
    const begunAt = this.#timers.now()
    let exchange: Exchange
    let cancelDelay: (() => void) | null = null
    const settle = ({ response, error }: SendOutcome) => {
      cancelLimit()
      signal.removeEventListener('abort', interrupt)
      this.#interruptions.delete(interrupt)
      resolve({ response, error })
    }
    const ended = (end: ExchangeEnd) => {
      // After a full turn of the event loop undici has its connection back and can use it for the next request.
      if (end.isComplete) return queueMicrotask(() => setImmediate(settle, end))
      if (end.error?.code !== 'dns_failed') return settle(end)
      const stepMs = this.#nameFailureStepMs
      const delayMs = stepMs - ((this.#timers.now() - begunAt) % stepMs)
      cancelDelay = this.#timers.after(delayMs, () => settle(end))
    }
    const interrupt = () => {
      if (cancelDelay === null) return exchange.fail(INTERRUPTED.error)
      cancelDelay()
      settle(INTERRUPTED)
    }
    const cancelLimit = this.#timers.after(this.#timeLimitMs, () =>
      exchange.fail({ code: 'timeout', detail: `${exchange.awaited} within ${this.#timeLimitMs / 1000} s` }),
    )
    signal.addEventListener('abort', interrupt)
    this.#interruptions.add(interrupt)
    const begin = (isRetry: boolean) => {
      const pool = this.#pools.take(url.origin, this.#interruptions.size)
      let isReused = false
      exchange = new Exchange((end) => {
        // The receiver closed a kept connection just when the request was sent, and maybe the others as well.
        if (!end.wasClosedUnanswered || !isReused || isRetry) return ended(end)
        this.#pools.drop(url.origin, pool)
        begin(true)
      })
      const { body, headers } = request
      const path = `${url.pathname}${url.search}`
      isReused = this.#pools.dispatch(pool, { method: 'POST', path, headers, body }, exchange)
    }
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
