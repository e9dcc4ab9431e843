import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { hashSecret, isWellFormedSecret } from './key-format.ts'
import type { KeyStore, StoredKey } from '../ports/access/key-store.ts'
import type { Principal } from '../ports/access/scopes.ts'

export type { Principal } from '../ports/access/scopes.ts'

export interface AuthenticateDependencies {
  readonly keys: Pick<KeyStore, 'findBySecretHash'>
  readonly clock: Clock
}

/**
 * The principal of a secret. Missing, misspelt, unknown, expired and revoked secrets all fail alike, with DomainError
 * `unauthorized`; a misspelt one costs no look-up.
 */
export async function authenticate(
  dependencies: AuthenticateDependencies,
  secret: string | undefined,
): Promise<Principal> {
  return toPrincipal(await findLiveKey(dependencies, secret))
}

/** The key behind a secret. Fails as `authenticate` does. */
export async function findLiveKey(
  dependencies: AuthenticateDependencies,
  secret: string | undefined,
): Promise<StoredKey> {
  if (secret === undefined || !isWellFormedSecret(secret)) throw unauthorized()
  return findLiveKeyByHash(dependencies, hashSecret(secret))
}

/** The same by the hash of the secret. */
export async function findLiveKeyByHash(
  { keys, clock }: AuthenticateDependencies,
  secretHash: Uint8Array,
): Promise<StoredKey> {
  const key = await keys.findBySecretHash(secretHash)
  if (key === undefined || !timingSafeEqual(key.secretHash, secretHash)) throw unauthorized()
  if (!isLive(key, clock.now())) throw unauthorized()
  return key
}

export function isLive({ revokedAt, expiresAt }: StoredKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now)
}

export function toPrincipal({ id, projectId, scopes, expiresAt, limits }: StoredKey): Principal {
  return { keyId: id, projectId, scopes: new Set(scopes), keyExpiresAt: expiresAt, keyLimits: limits }
}

/** The same error, whatever was wrong with a key or a session. */
export function unauthorized(): DomainError {
  return new DomainError(
    'unauthorized',
    'Send a valid API key in the header x-api-key or Authorization: Bearer, or sign in with one at POST /v1/session.',
  )
}
