import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import type { KeyStore } from '../ports/access/key-store.ts'

export interface RevokeKeyRequest {
  /** The project that the key must belong to; null when any will do (the command line). */
  readonly projectId: ProjectId | null
  readonly keyId: KeyId
  /** Whether the caller may revoke an `admin` key: a key with only `manage` may not. */
  readonly mayRevokeAdmin: boolean
}

/**
 * Once it returns, the key opens nothing, in any process. Any key may be revoked, the caller's own and the last one
 * with `admin` included: it must always be possible to stop a leaked key, and the command line makes a new one. Throws
 * DomainError `not_found` (also when it was revoked before), `insufficient_scope`.
 */
export async function revokeKey(
  { keys, clock }: { readonly keys: Pick<KeyStore, 'find' | 'revoke'>; readonly clock: Clock },
  { projectId, keyId, mayRevokeAdmin }: RevokeKeyRequest,
): Promise<void> {
  const key = await keys.find(keyId)
  const isElsewhere = projectId !== null && key?.projectId !== projectId
  if (key === undefined || key.revokedAt !== null || isElsewhere)
    throw new DomainError('not_found', 'There is no such key.')
  if (key.scopes.includes('admin') && !mayRevokeAdmin) {
    throw new DomainError('insufficient_scope', 'Only a key with the scope "admin" may revoke one that has it.')
  }
  await keys.revoke(keyId, clock.now())
}
