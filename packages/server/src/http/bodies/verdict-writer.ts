import type { ServerResponse } from 'node:http'
import type { ByteAccount } from '../../lib/flow/byte-budget.ts'
import type { Timers } from '../../lib/time/timers.ts'

/** For clients that send everything before they read: 16 MB are about 200,000 verdicts. */
const HELD_BYTES_MAX = 16 * 1024 * 1024
/** Not charged to the budget: about the buffer of a socket. */
const FREE_BYTES = 64 * 1024
/** A client that reads nothing for this long is disconnected. */
const STALL_MS = 60_000

/**
 * Sends verdicts, one per line. Verdicts that the client has not taken are held up to a bound and within the budget of
 * bodies; beyond that `write` waits, and reading the body pauses.
 */
export class VerdictWriter {
  readonly #response: ServerResponse
  readonly #account: ByteAccount
  readonly #timers: Timers
  #charged = 0

  constructor(response: ServerResponse, account: ByteAccount, timers: Timers) {
    this.#response = response
    this.#account = account
    this.#timers = timers
  }

  /** False if the client has disconnected. */
  async write(text: string): Promise<boolean> {
    const response = this.#response
    if (response.destroyed) return false
    if (text !== '') response.write(text)
    if (this.#mayHold(response.writableLength)) return true
    return this.#drained()
  }

  /** MUST be called however the request ends. Verdicts stay charged until the client has taken them or disconnected. */
  end(): void {
    if (this.#response.destroyed) return this.#release()
    this.#response.once('close', () => this.#release())
    this.#response.end()
  }

  #release(): void {
    this.#account.release(this.#charged)
    this.#charged = 0
  }

  #mayHold(held: number): boolean {
    const needed = Math.max(0, held - FREE_BYTES)
    if (needed > HELD_BYTES_MAX) return false
    if (needed <= this.#charged) this.#account.release(this.#charged - needed)
    else if (!this.#account.tryTake(needed - this.#charged)) return false
    this.#charged = needed
    return true
  }

  async #drained(): Promise<boolean> {
    const response = this.#response
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const done = () => resolve(!response.destroyed)
    const cancel = this.#timers.after(STALL_MS, () => response.destroy())
    response.once('drain', done)
    response.once('close', done)
    const alive = await promise
    cancel()
    response.off('drain', done)
    response.off('close', done)
    this.#release()
    return alive
  }
}
