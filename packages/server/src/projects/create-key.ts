import type { FieldError } from '@spoor/contract/errors'
import type { ProjectId } from '@spoor/contract/ids'
import { SCOPES, type Scope } from '@spoor/contract/scopes'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import type { IdGenerator } from '../lib/ids/ids.ts'
import type { RandomBytes } from '../lib/ids/random.ts'
import { checkName } from '../lib/validation/check-name.ts'
import { hashSecret, newSecret } from './key-format.ts'
import { type KeyLimits, type KeyStore, NO_LIMITS, type StoredKey } from '../ports/access/key-store.ts'
import { checkLimits } from './change-key.ts'
import type { ProjectStore } from '../ports/access/project-store.ts'
import { isScope, type Principal } from '../ports/access/scopes.ts'

export interface CreateKeyDependencies {
  readonly projects: Pick<ProjectStore, 'find'>
  readonly keys: Pick<KeyStore, 'create'>
  readonly clock: Clock
  readonly ids: Pick<IdGenerator, 'newId'>
  readonly randomBytes: RandomBytes
}

export interface CreateKeyRequest {
  readonly projectId: ProjectId
  readonly name: string
  readonly scopes: readonly string[]
  /** Milliseconds since 1970 UTC; null: never, or when the maker's key ends. */
  readonly expiresAt: number | null
  /** Those that are not given are those of the maker. */
  readonly limits?: Partial<KeyLimits>
  /**
   * The caller: without `admin` it grants no scope that it lacks and no longer life than its own. Null: the command
   * line, which may grant everything.
   */
  readonly maker: KeyMaker | null
}

export type KeyMaker = Pick<Principal, 'scopes' | 'keyExpiresAt' | 'keyLimits'>

export interface CreatedKey {
  readonly key: StoredKey
  /** Shown to the caller once and stored nowhere. */
  readonly secret: string
}

/** Throws DomainError `not_found` (the project), `validation_failed` naming each bad field, `insufficient_scope`. */
export async function createKey(dependencies: CreateKeyDependencies, request: CreateKeyRequest): Promise<CreatedKey> {
  const { projects, keys, clock, ids, randomBytes } = dependencies
  const createdAt = clock.now()
  const { projectId, name } = request
  // A caller with `admin` may make a key of any life and scope.
  const limitedBy = request.maker?.scopes.has('admin') === true ? null : request.maker
  const errors = checkRequest(request, createdAt, limitedBy?.keyExpiresAt ?? null)
  const most = limitedBy?.keyLimits ?? NO_LIMITS
  const limits = { ...most, ...request.limits }
  errors.push(...checkLimits(limits, most))
  if (errors.length > 0) throw invalid(...errors)
  const beyond = limitedBy === null ? [] : inOrder(request.scopes).filter((scope) => !limitedBy.scopes.has(scope))
  if (beyond.length > 0) {
    const detail = `Without "admin" a key gives only scopes that it has, and this one lacks ${beyond.join(', ')}.`
    throw new DomainError('insufficient_scope', detail)
  }
  if ((await projects.find(projectId)) === undefined) throw new DomainError('not_found', 'There is no such project.')
  const secret = newSecret(randomBytes)
  const key = describeKey(secret, {
    id: ids.newId('key'),
    projectId,
    name,
    scopes: inOrder(request.scopes),
    createdAt,
    limits,
    expiresAt: request.expiresAt ?? limitedBy?.keyExpiresAt ?? null,
  })
  await keys.create(key)
  return { key, secret }
}

/** The stored side of a secret: its hash and last four characters. */
export function describeKey(
  secret: string,
  about: Omit<StoredKey, 'secretHash' | 'lastFour' | 'revokedAt'>,
): StoredKey {
  return { ...about, secretHash: hashSecret(secret), lastFour: secret.slice(-4), revokedAt: null }
}

/** @param latest the new key must end by then; null: no bound */
function checkRequest({ name, scopes, expiresAt }: CreateKeyRequest, now: number, latest: number | null): FieldError[] {
  const errors: FieldError[] = []
  const nameProblem = checkName(name)
  if (nameProblem !== null) errors.push(nameProblem)
  if (scopes.length === 0) {
    errors.push({
      pointer: '/scopes',
      code: 'too_short',
      detail: `A key has at least one scope of ${SCOPES.join(', ')}.`,
    })
  }
  scopes.forEach((scope, index) => {
    if (isScope(scope)) return
    const detail = `${JSON.stringify(scope.slice(0, 40))} is not a scope; there are ${SCOPES.join(', ')}.`
    errors.push({ pointer: `/scopes/${index}`, code: 'invalid_value', detail })
  })
  if (expiresAt !== null && !(expiresAt > now)) {
    errors.push({ pointer: '/expires_at', code: 'invalid_value', detail: 'The expiry must be in the future.' })
  }
  if (expiresAt !== null && latest !== null && expiresAt > latest) {
    const detail = `The key that makes it stops at ${new Date(latest).toISOString()}, and without "admin" it makes none that lives longer.`
    errors.push({ pointer: '/expires_at', code: 'out_of_range', detail })
  }
  return errors
}

/** A scope given twice counts once. */
function inOrder(scopes: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope))
}
