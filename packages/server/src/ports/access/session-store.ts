import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { StoredKey } from './key-store.ts'

export interface StoredSession {
  /** SHA-256 of the token; the token itself is in the cookie alone. */
  readonly tokenHash: Uint8Array
  readonly keyId: KeyId
  /** That it has gone on in; null: that of its key. */
  readonly projectId: ProjectId | null
  /** Times are milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly expiresAt: number
}

/** Where sessions are kept. They outlast the process. */
export interface SessionStore {
  /**
   * Durable when it resolves, and with it, all or nothing: the session `replaced` is gone, if there is one, and so are the oldest of the key beyond `mostOfKey`.
   * Rejects when the key does not exist.
   */
  create(session: StoredSession, replaced: Uint8Array | null, mostOfKey: number): Promise<void>
  /**
   * With its key as it is at this moment, also when another process has revoked it; ended keys and sessions are found too: the caller judges. Asked for every
   * request by cookie, so it MUST be cheap.
   */
  find(tokenHash: Uint8Array): Promise<{ readonly session: StoredSession; readonly key: StoredKey } | undefined>
  /** Durable and in force everywhere when it resolves. One that is not there is no error; rejects when the project does not exist. */
  moveTo(tokenHash: Uint8Array, projectId: ProjectId): Promise<void>
  /** Durable when it resolves. One that is not there is no error. */
  remove(tokenHash: Uint8Array): Promise<void>
  /** Removes at most `limit` sessions that ended at `endedBy` or before. */
  prune(endedBy: number, limit: number): Promise<void>
}
