import type { ServerResponse } from 'node:http'
import type { ByteAccount } from '../../lib/work/byte-budget.ts'
import type { Timers } from '../../lib/time/timers.ts'

/** Verdicts wait for clients that send everything before they read: 16 MB are some 200,000 lines. */
const HELD_BYTES_MAX = 16 * 1024 * 1024
/** Held without being charged to the budget: what a socket holds anyway. */
const FREE_BYTES = 64 * 1024
/** A client that takes nothing for this long has gone, or will never read. */
const STALL_MS = 60_000

/**
 * Sends verdicts, one a line. What the client has not taken yet is held, up to a bound and within the budget of bodies; beyond that `write` waits, and
 * with it the reading of the body.
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

  /** False when the client is gone: nothing more can be sent to it. */
  async write(text: string): Promise<boolean> {
    const response = this.#response
    if (response.destroyed) return false
    if (text !== '') response.write(text)
    if (this.#mayHold(response.writableLength)) return true
    return this.#drained()
  }

  /** MUST be called, however the request ends. What the client has not taken yet stays charged until it has, or has gone. */
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
