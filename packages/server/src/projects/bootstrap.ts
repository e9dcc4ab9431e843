import type { ProjectId } from '@spoor/contract/ids'
import { OperatorError } from '../lib/operator-error.ts'
import { type CreateKeyDependencies, describeKey } from './create-key.ts'
import { hashSecret, isWellFormedSecret, newSecret } from './key-format.ts'
import { type KeyStore, NO_LIMITS, type StoredKey } from '../ports/access/key-store.ts'
import type { ProjectStore } from '../ports/access/project-store.ts'
import { SCOPES } from '@spoor/contract/scopes'

export interface BootstrapDependencies extends Pick<CreateKeyDependencies, 'clock' | 'ids' | 'randomBytes'> {
  readonly projects: Pick<ProjectStore, 'list' | 'create'>
  readonly keys: Pick<KeyStore, 'create' | 'findBySecretHash'>
}

export interface BootstrapResult {
  /** The first project. */
  readonly projectId: ProjectId
  /** Whether it was made now. */
  readonly firstStart: boolean
  /** The first key, to be shown once; null when none was generated. */
  readonly secret: string | null
  /** The state of SPOOR_BOOTSTRAP_KEY. A revoked or expired key stays so, because it was revoked on purpose. */
  readonly bootstrapKey: 'not_given' | 'added' | 'known' | 'revoked' | 'expired'
}

/**
 * On the first start, makes the project "default" and its first key with all scopes: the given one, else a new one.
 * Later starts make nothing, except that an unknown given key is added to the first project. Throws OperatorError when
 * the given key is malformed.
 */
export async function bootstrap(
  dependencies: BootstrapDependencies,
  givenSecret: string | null,
): Promise<BootstrapResult> {
  const { projects, keys, clock, ids, randomBytes } = dependencies
  if (givenSecret !== null && !isWellFormedSecret(givenSecret)) throw malformedKey()
  const createdAt = clock.now()
  const keyIn = (projectId: ProjectId, secret: string): StoredKey =>
    describeKey(secret, {
      id: ids.newId('key'),
      projectId,
      name: 'bootstrap',
      scopes: SCOPES,
      createdAt,
      limits: NO_LIMITS,
      expiresAt: null,
    })

  const [first] = await projects.list(null, 1)
  if (first === undefined) {
    const project = { id: ids.newId('proj'), name: 'default', createdAt }
    const secret = givenSecret ?? newSecret(randomBytes)
    await projects.create(project, [keyIn(project.id, secret)])
    const bootstrapKey = givenSecret === null ? 'not_given' : 'added'
    return { projectId: project.id, firstStart: true, secret: givenSecret === null ? secret : null, bootstrapKey }
  }
  if (givenSecret === null) return { projectId: first.id, firstStart: false, secret: null, bootstrapKey: 'not_given' }
  const known = await keys.findBySecretHash(hashSecret(givenSecret))
  if (known === undefined) await keys.create(keyIn(first.id, givenSecret))
  return { projectId: first.id, firstStart: false, secret: null, bootstrapKey: stateOf(known, createdAt) }
}

function stateOf(known: StoredKey | undefined, now: number): BootstrapResult['bootstrapKey'] {
  if (known === undefined) return 'added'
  if (known.revokedAt !== null) return 'revoked'
  return known.expiresAt !== null && known.expiresAt <= now ? 'expired' : 'known'
}

/** Never repeats the value: it may be nearly right, and this is printed to logs. */
function malformedKey(): OperatorError {
  return new OperatorError(
    'SPOOR_BOOTSTRAP_KEY is not an API key: it must be "spoor_", 30 letters or digits and their 6-character checksum. ' +
      'Make one with `spoor keys generate`, or leave it out and the first start makes and prints one.',
  )
}
