import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { SessionStore, StoredSession } from '../../../ports/access/session-store.ts'
import { run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
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

function statementsOn(database: SqlDatabase<AccessTables>) {
  return {
    insert: database.statement((queries, session: StoredSession) =>
      queries.insertInto('sessions').values({
        token_hash: session.tokenHash,
        key_id: session.keyId,
        project_id: session.projectId,
        created_at: session.createdAt,
        expires_at: session.expiresAt,
      }),
    ),
    withKey: database.statement((queries, { tokenHash }: { tokenHash: Uint8Array }) =>
      queries
        .selectFrom('sessions')
        .innerJoin('keys', 'keys.id', 'sessions.key_id')
        .selectAll('keys')
        .select([
          'token_hash',
          'sessions.project_id as session_project_id',
          'sessions.created_at as session_created_at',
          'sessions.expires_at as session_expires_at',
        ])
        .where('token_hash', '=', tokenHash),
    ),
    moveTo: database.statement((queries, { tokenHash, projectId }: { tokenHash: Uint8Array; projectId: string }) =>
      queries.updateTable('sessions').set({ project_id: projectId }).where('token_hash', '=', tokenHash),
    ),
    remove: database.statement((queries, { tokenHash }: { tokenHash: Uint8Array }) =>
      queries.deleteFrom('sessions').where('token_hash', '=', tokenHash),
    ),
    removeOldest: database.statement((queries, { keyId, kept }: { keyId: string; kept: number }) =>
      queries
        .deleteFrom('sessions')
        .where('key_id', '=', keyId)
        .where('number', '<=', ({ selectFrom }) =>
          selectFrom('sessions as newer')
            .select('newer.number')
            .where('newer.key_id', '=', keyId)
            .orderBy('newer.number', 'desc')
            .limit(1)
            .offset(kept),
        ),
    ),
    prune: database.statement((queries, { endedBy, limit }: { endedBy: number; limit: number }) =>
      queries
        .deleteFrom('sessions')
        .where('number', 'in', ({ selectFrom }) =>
          selectFrom('sessions as ended').select('ended.number').where('ended.expires_at', '<=', endedBy).limit(limit),
        ),
    ),
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
