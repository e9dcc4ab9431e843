import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { SessionStore, StoredSession } from '../../../ports/access/session-store.ts'
import { run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { storeOn } from '../kit/store-on.ts'
import type { AccessTables, KeyRow } from './access-tables.ts'
import { fromKeyRow } from './key-row.ts'

interface SessionWithKeyRow extends KeyRow {
  readonly token_hash: Uint8Array
  readonly session_project_id: string | null
  readonly session_created_at: number
  readonly session_expires_at: number
}

/** Sessions are not cached: each request reads the session and its key with one statement. */
export class SqlSessionStore extends storeOn(statementsOn) implements SessionStore {
  create(session: StoredSession, replaced: Uint8Array | null, mostOfKey: number): Promise<void> {
    return this.transact(function* (sql): Work<void> {
      if (replaced !== null) yield* run(sql.remove({ tokenHash: replaced }))
      yield* run(sql.insert(session))
      yield* run(sql.removeOldest({ keyId: session.keyId, kept: mostOfKey }))
    })
  }

  async find(tokenHash: Uint8Array) {
    return (await this.database.read(this.sql.withKey({ tokenHash }))).map(fromRow)[0]
  }

  async moveTo(tokenHash: Uint8Array, projectId: ProjectId): Promise<void> {
    await this.run(this.sql.moveTo({ tokenHash, projectId }))
  }

  async remove(tokenHash: Uint8Array): Promise<void> {
    await this.run(this.sql.remove({ tokenHash }))
  }

  async prune(endedBy: number, limit: number): Promise<void> {
    await this.run(this.sql.prune({ endedBy, limit }))
  }
}

interface Named {
  readonly tokenHash: Uint8Array
}

function statementsOn(database: SqlDatabase<AccessTables>) {
  const { query } = sqlTextOn(database)
  return {
    insert: query<StoredSession>(`INSERT INTO sessions (token_hash, key_id, project_id, created_at, expires_at)
      VALUES (:tokenHash, :keyId, :projectId, :createdAt, :expiresAt)`),
    withKey: query<Named, SessionWithKeyRow>(`SELECT keys.*, token_hash, sessions.project_id AS session_project_id,
        sessions.created_at AS session_created_at, sessions.expires_at AS session_expires_at
      FROM sessions JOIN keys ON keys.id = sessions.key_id WHERE token_hash = :tokenHash`),
    moveTo: query<Named & { projectId: string }>(
      'UPDATE sessions SET project_id = :projectId WHERE token_hash = :tokenHash',
    ),
    remove: query<Named>('DELETE FROM sessions WHERE token_hash = :tokenHash'),
    removeOldest: query<{ keyId: string; kept: number }>(`DELETE FROM sessions WHERE key_id = :keyId AND number <= (
      SELECT newer.number FROM sessions AS newer WHERE newer.key_id = :keyId
      ORDER BY newer.number DESC LIMIT 1 OFFSET :kept)`),
    prune: query<{ endedBy: number; limit: number }>(`DELETE FROM sessions WHERE number IN (
      SELECT ended.number FROM sessions AS ended WHERE ended.expires_at <= :endedBy LIMIT :limit)`),
  }
}

function fromRow(row: SessionWithKeyRow) {
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
