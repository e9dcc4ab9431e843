import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { StoredKey } from '../../../ports/access/key-store.ts'
import { isScope } from '../../../ports/access/scopes.ts'
import { snakeKeys } from '../kit/snake-keys.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { AccessTables, KeyRow } from './access-tables.ts'

export function toKeyRow({ scopes, limits, ...key }: StoredKey): KeyRow {
  return { ...snakeKeys(key), scopes: scopes.join(','), ...snakeKeys(limits) }
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
