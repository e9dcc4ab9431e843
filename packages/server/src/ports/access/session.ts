import type { RandomBytes } from '../../lib/ids/random.ts'
import type { Principal } from './scopes.ts'

/**
 * Who sent a request by cookie: a session that was good at the time, with all that its key may do, in the project that
 * it is in.
 */
export interface Session extends Principal {
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly expiresAt: number
}

const TOKEN_BYTES = 32
const TOKEN = /^[\w-]{43}$/

/** 256 random bits in base64url. Stored by `hashSecret`, like the secret of a key. */
export function newSessionToken(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url')
}

/** Whether `text` has the form of a token: other text needs no look-up. */
export function isWellFormedToken(text: string): boolean {
  return TOKEN.test(text)
}
