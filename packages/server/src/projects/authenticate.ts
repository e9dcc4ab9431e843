import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { hashSecret, isWellFormedSecret } from './key-format.ts'
import type { KeyStore } from './key-store.ts'
import type { Principal } from './scopes.ts'

export type { Principal } from './scopes.ts'

/**
 * The key behind a secret. Missing, misspelt, unknown, expired and revoked ones all fail alike, with DomainError `unauthorized`; a misspelt one
 * costs no look-up.
 */
export async function authenticate(
  { keys, clock }: { readonly keys: Pick<KeyStore, 'findBySecretHash'>; readonly clock: Clock },
  secret: string | undefined,
): Promise<Principal> {
  if (secret === undefined || !isWellFormedSecret(secret)) throw unauthorized()
  const secretHash = hashSecret(secret)
  const key = await keys.findBySecretHash(secretHash)
  if (key === undefined || !timingSafeEqual(key.secretHash, secretHash)) throw unauthorized()
  const isExpired = key.expiresAt !== null && key.expiresAt <= clock.now()
  if (key.revokedAt !== null || isExpired) throw unauthorized()
  return { keyId: key.id, projectId: key.projectId, scopes: new Set(key.scopes) }
}

function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'Send a valid API key in the header x-api-key.')
}
