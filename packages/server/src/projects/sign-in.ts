import type { RandomBytes } from '../lib/ids/random.ts'
import {
  type AuthenticateDependencies,
  findLiveKey,
  findLiveKeyByHash,
  toPrincipal,
  unauthorized,
} from './authenticate.ts'
import type { StoredKey } from '../ports/access/key-store.ts'
import { hashSecret } from './key-format.ts'
import { newSessionToken, type Session } from '../ports/access/session.ts'
import type { SessionStore } from '../ports/access/session-store.ts'
import type { SignInToken } from './sign-in-token.ts'

export interface SignInDependencies extends AuthenticateDependencies {
  readonly sessions: Pick<SessionStore, 'create'>
  readonly signInToken: Pick<SignInToken, 'redeem'>
  readonly randomBytes: RandomBytes
  readonly lifetimeMs: number
}

/** By the secret of a key, or by a token that was made for one. */
export type SignInRequest = ({ readonly secret: string } | { readonly signInToken: string }) & {
  /** The browser's current session, null for none: it ends. */
  readonly replacedToken: string | null
}

export interface SignedIn {
  /** For the cookie; stored nowhere. */
  readonly token: string
  readonly session: Session
}

/**
 * Live sessions of one key: enough for a team that shares it, too few for a script that signs in for ever to fill the
 * store. The oldest ends.
 */
export const SESSIONS_PER_KEY = 100

/**
 * Begins a session, which lasts no longer than its key. Throws DomainError `unauthorized` for every secret and token
 * that opens nothing, and then leaves the other session alone.
 */
export async function signIn(dependencies: SignInDependencies, request: SignInRequest): Promise<SignedIn> {
  const { sessions, clock, randomBytes, lifetimeMs } = dependencies
  const { replacedToken } = request
  const key =
    'secret' in request
      ? await findLiveKey(dependencies, request.secret)
      : await keyOfToken(dependencies, request.signInToken)
  const createdAt = clock.now()
  const expiresAt = Math.min(createdAt + lifetimeMs, key.expiresAt ?? Infinity)
  const token = newSessionToken(randomBytes)
  const replaced = replacedToken === null ? null : hashSecret(replacedToken)
  await sessions.create(
    { tokenHash: hashSecret(token), keyId: key.id, projectId: null, createdAt, expiresAt },
    replaced,
    SESSIONS_PER_KEY,
  )
  return { token, session: { ...toPrincipal(key), createdAt, expiresAt } }
}

async function keyOfToken(dependencies: SignInDependencies, token: string): Promise<StoredKey> {
  const secretHash = dependencies.signInToken.redeem(token)
  if (secretHash === null) throw unauthorized()
  return findLiveKeyByHash(dependencies, secretHash)
}
