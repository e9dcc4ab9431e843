import type { RandomBytes } from '../lib/random.ts'
import { type AuthenticateDependencies, findLiveKey, toPrincipal } from './authenticate.ts'
import { hashSecret } from './key-format.ts'
import { newSessionToken, type Session } from './session.ts'
import type { SessionStore } from './session-store.ts'

export interface SignInDependencies extends AuthenticateDependencies {
  readonly sessions: Pick<SessionStore, 'create'>
  readonly randomBytes: RandomBytes
  readonly lifetimeMs: number
}

export interface SignInRequest {
  /** Of a key. */
  readonly secret: string
  /** Of the session that the browser has, null for none: it ends. */
  readonly replacedToken: string | null
}

export interface SignedIn {
  /** For the cookie; kept nowhere. */
  readonly token: string
  readonly session: Session
}

/** Live sessions of one key: enough for a team that shares it, too few for a script that signs in for ever to fill the store. The oldest ends. */
export const SESSIONS_PER_KEY = 100

/** Begins a session, which lasts no longer than its key. Throws DomainError `unauthorized` for every secret that opens nothing, and leaves the other session alone then. */
export async function signIn(
  dependencies: SignInDependencies,
  { secret, replacedToken }: SignInRequest,
): Promise<SignedIn> {
  const { sessions, clock, randomBytes, lifetimeMs } = dependencies
  const key = await findLiveKey(dependencies, secret)
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
