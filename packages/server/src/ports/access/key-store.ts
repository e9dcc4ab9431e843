import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { Scope } from '@spoor/contract/scopes'

export interface StoredKey {
  readonly id: KeyId
  readonly projectId: ProjectId
  readonly name: string
  /** At least one, in the order of SCOPES. */
  readonly scopes: readonly Scope[]
  /** SHA-256 of the whole secret; the secret itself is nowhere. */
  readonly secretHash: Uint8Array
  readonly lastFour: string
  /** Times are milliseconds since 1970 UTC; `expiresAt` null is never. */
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

/** Where keys are kept. Several processes may use it at once. A key is never removed, only revoked. */
export interface KeyStore {
  /** Durable when it resolves. Rejects when the project does not exist or a key has the same secret. */
  create(key: StoredKey): Promise<void>
  /** Durable and in force everywhere when it resolves. Keeps the first time when it was revoked before. */
  revoke(id: KeyId, revokedAt: number): Promise<void>
  find(id: KeyId): Promise<StoredKey | undefined>
  /** Keys that are not revoked (expired ones are among them), oldest first, those behind `after`. */
  listLive(projectId: ProjectId, after: KeyId | null, limit: number): Promise<readonly StoredKey[]>
  /**
   * Revoked and expired keys are found too: the caller judges. Asked for every request, so it MUST be cheap, and MUST see a key made or revoked by any process
   * at the next call.
   */
  findBySecretHash(secretHash: Uint8Array): Promise<StoredKey | undefined>
}
