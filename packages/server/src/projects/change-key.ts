import type { FieldError } from '@spoor/contract/errors'
import type { KeyId, ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import { type KeyLimits, type KeyStore, NO_LIMITS, type StoredKey } from '../ports/access/key-store.ts'
import type { Principal } from '../ports/access/scopes.ts'

export interface ChangeKeyRequest {
  readonly projectId: ProjectId
  readonly keyId: KeyId
  /** Those that are not given stay. */
  readonly limits: Partial<KeyLimits>
  /** The caller: without `admin` it changes no key with `admin`, and gives no more than its own limits. */
  readonly changer: Pick<Principal, 'scopes' | 'keyLimits'>
}

/**
 * Applies to every request that begins after it resolves. Throws DomainError `not_found` (also for a revoked key),
 * `insufficient_scope`, and `validation_failed` naming each limit beyond the caller's own.
 */
export async function changeKey(
  { keys }: { readonly keys: Pick<KeyStore, 'find' | 'setLimits'> },
  { projectId, keyId, limits: changed, changer }: ChangeKeyRequest,
): Promise<StoredKey> {
  const key = await keys.find(keyId)
  if (key === undefined || key.revokedAt !== null || key.projectId !== projectId)
    throw new DomainError('not_found', 'There is no such key.')
  const isAdmin = changer.scopes.has('admin')
  if (key.scopes.includes('admin') && !isAdmin)
    throw new DomainError('insufficient_scope', 'Only a key with the scope "admin" may change one that has it.')
  const limits = { ...key.limits, ...changed }
  const errors = checkLimits(limits, isAdmin ? NO_LIMITS : changer.keyLimits)
  if (errors.length > 0) throw invalid(...errors)
  await keys.setLimits(keyId, limits)
  return { ...key, limits }
}

const POINTERS: Readonly<Record<keyof KeyLimits, string>> = {
  requestsPerSecond: '/requests_per_second',
  bytesPerSecond: '/bytes_per_second',
}

/** @param most the limits of the key that gives them */
export function checkLimits(limits: KeyLimits, most: KeyLimits): FieldError[] {
  return (Object.keys(POINTERS) as (keyof KeyLimits)[]).flatMap((limit) => {
    const bound = most[limit]
    if (bound === null || (limits[limit] ?? Infinity) <= bound) return []
    const detail = `The key that gives it is limited to ${bound} itself, and without "admin" it gives no more.`
    return [{ pointer: POINTERS[limit], code: 'out_of_range', detail }]
  })
}
