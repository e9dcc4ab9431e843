import { FairShares } from './fair-shares.ts'

/** The share of one request in the budget. */
export interface ByteAccount {
  /** Takes all bytes or none. */
  tryTake(bytes: number): boolean
  /** The caller MUST release the same amount when it frees the bytes, however its work ends. */
  release(bytes: number): void
}

/** Bounds the bytes of all requests in memory and divides them between owners (FairShares). */
export class ByteBudget {
  readonly #shares: FairShares

  constructor(limitBytes: number) {
    this.#shares = new FairShares(limitBytes)
  }

  get usedBytes(): number {
    return this.#shares.used
  }

  /** A new account for one request. `owner` is its project, or a name that stands for one. */
  account(owner: string): ByteAccount {
    const shares = this.#shares
    let held = 0
    return {
      tryTake(bytes) {
        if (!shares.tryTake(owner, bytes, held)) return false
        held += bytes
        return true
      },
      release(bytes) {
        if (bytes > held) throw new Error('more bytes were released than were taken')
        shares.release(owner, bytes)
        held -= bytes
      },
    }
  }
}
