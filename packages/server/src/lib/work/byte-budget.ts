import { FairShares } from './fair-shares.ts'

/** What one request holds of the budget. */
export interface ByteAccount {
  /** Takes all of it or nothing. */
  tryTake(bytes: number): boolean
  /** Whoever took MUST release the same amount when it lets go of the bytes, however its work ends. */
  release(bytes: number): void
}

/** How many bytes all requests together may hold in memory at once, divided between their owners (FairShares). */
export class ByteBudget {
  readonly #shares: FairShares

  constructor(limitBytes: number) {
    this.#shares = new FairShares(limitBytes)
  }

  get usedBytes(): number {
    return this.#shares.used
  }

  /** A new account for one request. `owner` is the project that it is for, or what stands for one. */
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
