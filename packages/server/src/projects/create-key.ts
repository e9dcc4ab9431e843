import type { FieldError } from '@spoor/contract/errors'
import type { ProjectId } from '@spoor/contract/ids'
import { SCOPES, type Scope } from '@spoor/contract/scopes'
import type { Clock } from '../lib/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import type { IdGenerator } from '../lib/ids.ts'
import type { RandomBytes } from '../lib/random.ts'
import { checkName } from './check-name.ts'
import { hashSecret, newSecret } from './key-format.ts'
import type { KeyStore, StoredKey } from './key-store.ts'
import type { ProjectStore } from './project-store.ts'
import { isScope } from './scopes.ts'

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
  /** Milliseconds since 1970 UTC; null is never. */
  readonly expiresAt: number | null
  /** Whether whoever asks may hand out `admin`: a key with `admin` and the command line may, a key with `manage` alone may not raise itself. */
  readonly mayGrantAdmin: boolean
}

export interface CreatedKey {
  readonly key: StoredKey
  /** Shown to the caller once and kept nowhere. */
  readonly secret: string
}

/** Throws DomainError `not_found` (the project), `validation_failed` naming each bad field, `insufficient_scope`. */
export async function createKey(dependencies: CreateKeyDependencies, request: CreateKeyRequest): Promise<CreatedKey> {
  const { projects, keys, clock, ids, randomBytes } = dependencies
  const createdAt = clock.now()
  const errors = checkRequest(request, createdAt)
  if (errors.length > 0)
    throw new DomainError('validation_failed', errors.map((error) => error.detail).join(' '), { errors })
  if (request.scopes.includes('admin') && !request.mayGrantAdmin) {
    throw new DomainError('insufficient_scope', 'Only a key with the scope "admin" may make another one.')
  }
  const { projectId, name, expiresAt } = request
  if ((await projects.find(projectId)) === undefined) throw new DomainError('not_found', 'There is no such project.')
  const secret = newSecret(randomBytes)
  const key = describeKey(secret, {
    id: ids.newId('key'),
    projectId,
    name,
    scopes: inOrder(request.scopes),
    createdAt,
    expiresAt,
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

function checkRequest({ name, scopes, expiresAt }: CreateKeyRequest, now: number): FieldError[] {
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
  return errors
}

/** Given twice counts once. */
function inOrder(scopes: readonly string[]): Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope))
}
