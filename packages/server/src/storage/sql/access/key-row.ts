import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { StoredKey } from '../../../ports/access/key-store.ts'
import { isScope } from '../../../ports/access/scopes.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { AccessTables, KeyRow } from './access-tables.ts'

export function toKeyRow(key: StoredKey): KeyRow {
  return {
    id: key.id,
    project_id: key.projectId,
    name: key.name,
    scopes: key.scopes.join(','),
    secret_hash: key.secretHash,
    last_four: key.lastFour,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    revoked_at: key.revokedAt,
    requests_per_second: key.limits.requestsPerSecond,
    bytes_per_second: key.limits.bytesPerSecond,
  }
}

export function fromKeyRow(row: KeyRow): StoredKey {
  return {
    id: row.id as KeyId,
    projectId: row.project_id as ProjectId,
    name: row.name,
    scopes: row.scopes.split(',').filter(isScope),
    secretHash: row.secret_hash,
    lastFour: row.last_four,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    limits: { requestsPerSecond: row.requests_per_second, bytesPerSecond: row.bytes_per_second },
  }
}

/** The statement that adds a key. Two stores need it: a project is created together with its first keys. */
export function insertKeyOn(database: SqlDatabase<AccessTables>) {
  return database.statement((queries, row: KeyRow) => queries.insertInto('keys').values(row))
}
