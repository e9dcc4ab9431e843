import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { StoredKey } from './key-store.ts'

export interface StoredSession {
  /** SHA-256 of the token; the token itself is in the cookie alone. */
  readonly tokenHash: Uint8Array
  readonly keyId: KeyId
  /** The project it was switched to; null: that of its key. */
  readonly projectId: ProjectId | null
  /** Times are milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly expiresAt: number
}

/**
 * Where sessions are kept. They outlast the process. Writes of a method are durable when it resolves, and every later
 * read of any process sees them. Methods reject with DomainError `storage_unavailable`, and methods that write also
 * with `disk_full`: nothing is written then.
 */
export interface SessionStore {
  /**
   * All or nothing: the session is made, the session `replaced` is removed if there is one, of whichever key, and so
   * are the oldest of the key beyond `mostOfKey`. The oldest are those made first, whatever `createdAt` says: clocks
   * are set back. Rejects when the key does not exist.
   */
  create(session: StoredSession, replaced: Uint8Array | null, mostOfKey: number): Promise<void>
  /**
   * With its key as it is at this moment, also when another process has just revoked it. Ended keys and sessions are
   * found too: the caller decides. Called for every request by cookie, so it MUST be cheap.
   */
  find(tokenHash: Uint8Array): Promise<{ readonly session: StoredSession; readonly key: StoredKey } | undefined>
  /** One that does not exist is no error; rejects when the project does not exist and the session does. */
  moveTo(tokenHash: Uint8Array, projectId: ProjectId): Promise<void>
  /** One that does not exist is no error. */
  remove(tokenHash: Uint8Array): Promise<void>
  /** Removes sessions that ended at `endedBy` or before, at most `limit`. */
  prune(endedBy: number, limit: number): Promise<void>
}
