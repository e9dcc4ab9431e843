import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { Scope } from '@spoor/contract/scopes'

/** Of a key and its sessions, counted by each process; null: no limit. */
export interface KeyLimits {
  readonly requestsPerSecond: number | null
  /** Bytes of request bodies, as sent. */
  readonly bytesPerSecond: number | null
}

export const NO_LIMITS: KeyLimits = { requestsPerSecond: null, bytesPerSecond: null }

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
  readonly limits: KeyLimits
}

/**
 * Where keys are kept. Several processes may use it at once. A key is never removed, only revoked; its limits can
 * change. Writes of a method are durable when it resolves, and every later read of any process sees them. Methods
 * reject with DomainError `storage_unavailable`, and methods that write also with `disk_full`: nothing is written then.
 */
export interface KeyStore {
  /** Rejects, and nothing is written, when the project does not exist or a key has the same id or secret. */
  create(key: StoredKey): Promise<void>
  /** Keeps the first time when it was revoked before. A key that does not exist is no error. */
  revoke(id: KeyId, revokedAt: number): Promise<void>
  /** A key that does not exist is no error. */
  setLimits(id: KeyId, limits: KeyLimits): Promise<void>
  /** Revoked and expired keys are found too. */
  find(id: KeyId): Promise<StoredKey | undefined>
  /**
   * Keys that are not revoked (expired ones are among them) by id, which is by age: the oldest first, those behind
   * `after`.
   */
  listLive(projectId: ProjectId, after: KeyId | null, limit: number): Promise<readonly StoredKey[]>
  /**
   * Revoked and expired keys are found too: the caller decides. Called for every request, so an adapter SHOULD answer
   * from memory. It MUST NOT remember that a key does not exist, and MUST see changes of any process at the next call.
   */
  findBySecretHash(secretHash: Uint8Array): Promise<StoredKey | undefined>
}
