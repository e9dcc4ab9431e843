import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../lib/time/clock.ts'
import type { RandomBytes } from '../lib/ids/random.ts'
import { hashSecret } from './key-format.ts'
import { isWellFormedToken, newSessionToken } from '../ports/access/session.ts'

/** How long the token of a first start can be used. */
export const SIGN_IN_TOKEN_LIFETIME_MS = 3_600_000

interface Issued {
  readonly tokenHash: Uint8Array
  readonly secretHash: Uint8Array
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
}

/**
 * A token that signs in once, in place of a key. Only its recipient has it; its hash is in memory alone, so a restart
 * ends it.
 */
export class SignInToken {
  readonly #clock: Clock
  readonly #randomBytes: RandomBytes
  #issued: Issued | null = null

  constructor({ clock, randomBytes }: { readonly clock: Clock; readonly randomBytes: RandomBytes }) {
    this.#clock = clock
    this.#randomBytes = randomBytes
  }

  /** For the key with this secret. It replaces the previous one. */
  issue(secret: string): string {
    const token = newSessionToken(this.#randomBytes)
    const expiresAt = this.#clock.now() + SIGN_IN_TOKEN_LIFETIME_MS
    this.#issued = { tokenHash: hashSecret(token), secretHash: hashSecret(secret), expiresAt }
    return token
  }

  /**
   * Returns the hash of the key's secret and uses the token up. Null for any other token, and for a used or expired
   * one.
   */
  redeem(token: string): Uint8Array | null {
    const issued = this.#issued
    if (issued === null || !isWellFormedToken(token)) return null
    if (!timingSafeEqual(issued.tokenHash, hashSecret(token))) return null
    this.#issued = null
    return issued.expiresAt > this.#clock.now() ? issued.secretHash : null
  }
}
