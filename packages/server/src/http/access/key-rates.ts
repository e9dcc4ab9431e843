import type { Readable } from 'node:stream'
import { DomainError } from '../../lib/domain-error.ts'
import { countBytes } from '../bodies/counted-bytes.ts'
import type { Principal } from '../connections/ports.ts'

/** Of a second: a key that was quiet may send so much at once. */
const BURST_SECONDS = 1

interface Rate {
  /** Below 0: bytes of bodies that were read beyond the limit. */
  left: number
  at: number
}

export type KeyLimitName = 'requests' | 'bytes'

interface KeyRatesDependencies {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly onLimited: (keyId: string, limit: KeyLimitName) => void
}

/**
 * The limits of keys in this process. A key without limits costs nothing. Bytes are counted as they arrive, so a body
 * may go beyond the limit; then later requests wait until the time that it used has passed.
 */
export class KeyRates {
  readonly #dependencies: KeyRatesDependencies
  readonly #rates = { requests: new Map<string, Rate>(), bytes: new Map<string, Rate>() }

  constructor(dependencies: KeyRatesDependencies) {
    this.#dependencies = dependencies
  }

  /** Throws DomainError `rate_limited`. `body` is the request: its bytes are counted when they are read. */
  admit({ keyId, keyLimits: { requestsPerSecond, bytesPerSecond } }: Principal, body: Readable): void {
    if (bytesPerSecond !== null) {
      const rate = this.#rate('bytes', keyId, bytesPerSecond)
      if (rate.left <= 0) throw this.#limited(keyId, 'bytes', bytesPerSecond, 1 - rate.left)
      countBytes(body, (bytes) => (rate.left -= bytes))
    }
    if (requestsPerSecond !== null) {
      const rate = this.#rate('requests', keyId, requestsPerSecond)
      if (rate.left < 1) throw this.#limited(keyId, 'requests', requestsPerSecond, 1 - rate.left)
      rate.left--
    }
  }

  #rate(limit: KeyLimitName, keyId: string, perSecond: number): Rate {
    const now = this.#dependencies.now()
    const most = perSecond * BURST_SECONDS
    const rate = this.#rates[limit].get(keyId) ?? { left: most, at: now }
    this.#rates[limit].set(keyId, rate)
    rate.left = Math.min(most, rate.left + ((now - rate.at) / 1000) * perSecond)
    rate.at = now
    return rate
  }

  #limited(keyId: string, limit: KeyLimitName, perSecond: number, missing: number): DomainError {
    this.#dependencies.onLimited(keyId, limit)
    const detail = `The key may send ${perSecond} ${limit} a second, and has sent more.`
    return new DomainError('rate_limited', detail, { retryAfterSeconds: Math.ceil(missing / perSecond) })
  }
}
