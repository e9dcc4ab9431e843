import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { SessionStore, StoredSession } from '../../../ports/access/session-store.ts'
import { fromKeyRow, type KeyRow } from './key-row.ts'
import { runAtomically } from '../run-atomically.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'

type SessionRow = KeyRow & {
  readonly token_hash: Uint8Array
  readonly session_project_id: string | null
  readonly session_created_at: number
  readonly session_expires_at: number
}

/** Looked up anew for each request, two rows by their keys in one statement: what ended is never remembered. */
export class SqliteSessionStore implements SessionStore {
  readonly #database: DatabaseSync
  readonly #onReadError: OnReadError
  readonly #insert: StatementSync
  readonly #find: StatementSync
  readonly #move: StatementSync
  readonly #remove: StatementSync
  readonly #removeOldest: StatementSync
  readonly #prune: StatementSync

  constructor(database: DatabaseSync, onReadError: OnReadError = () => undefined) {
    this.#database = database
    this.#onReadError = onReadError
    this.#insert = database.prepare(
      'INSERT INTO sessions (token_hash, key_id, project_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
    )
    this.#find = database.prepare(`
      SELECT keys.*, token_hash, sessions.project_id AS session_project_id,
        sessions.created_at AS session_created_at, sessions.expires_at AS session_expires_at
      FROM sessions JOIN keys ON keys.id = sessions.key_id WHERE token_hash = ?`)
    this.#move = database.prepare('UPDATE sessions SET project_id = ? WHERE token_hash = ?')
    this.#remove = database.prepare('DELETE FROM sessions WHERE token_hash = ?')
    this.#removeOldest = database.prepare(`
      DELETE FROM sessions WHERE number IN
        (SELECT number FROM sessions WHERE key_id = ? ORDER BY number DESC LIMIT -1 OFFSET ?)`)
    this.#prune = database.prepare(`
      DELETE FROM sessions WHERE number IN (SELECT number FROM sessions WHERE expires_at <= ? LIMIT ?)`)
  }

  async create(session: StoredSession, replaced: Uint8Array | null, mostOfKey: number): Promise<void> {
    const { tokenHash, keyId, projectId, createdAt, expiresAt } = session
    runAtomically(this.#database, () => {
      if (replaced !== null) this.#remove.run(replaced)
      this.#insert.run(tokenHash, keyId, projectId, createdAt, expiresAt)
      this.#removeOldest.run(keyId, mostOfKey)
    })
  }

  async find(tokenHash: Uint8Array) {
    const row = readOrRefuse(() => this.#find.get(tokenHash), this.#onReadError)
    return row === undefined ? undefined : fromRow(row as unknown as SessionRow)
  }

  async moveTo(tokenHash: Uint8Array, projectId: ProjectId): Promise<void> {
    runAtomically(this.#database, () => this.#move.run(projectId, tokenHash))
  }

  async remove(tokenHash: Uint8Array): Promise<void> {
    runAtomically(this.#database, () => this.#remove.run(tokenHash))
  }

  async prune(endedBy: number, limit: number): Promise<void> {
    runAtomically(this.#database, () => this.#prune.run(endedBy, limit))
  }
}

function fromRow(row: SessionRow) {
  const key = fromKeyRow(row)
  const session: StoredSession = {
    tokenHash: row.token_hash,
    keyId: row.id as KeyId,
    projectId: row.session_project_id as ProjectId | null,
    createdAt: row.session_created_at,
    expiresAt: row.session_expires_at,
  }
  return { session, key }
}
