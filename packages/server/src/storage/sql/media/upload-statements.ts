import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { DirectUploadRow, MediaTables } from './media-tables.ts'

const MOST_STAGED = 100

interface Upload {
  readonly id: Uint8Array
}

/** Announced uploads. */
export function uploadStatementsOn(database: SqlDatabase<MediaTables>) {
  const { query } = sqlTextOn(database)
  const isStaged = 'staging_key IS NOT NULL AND taken = 0'
  return {
    announce: database.statement((queries, row: DirectUploadRow) => queries.insertInto('direct_uploads').values(row)),
    findUpload: query<Upload, DirectUploadRow>('SELECT * FROM direct_uploads WHERE id = :id'),
    findStaged: query<{ projectId: Uint8Array; sha256: Uint8Array }, DirectUploadRow>(`SELECT * FROM direct_uploads
      WHERE project_id = :projectId AND sha256 = :sha256 AND ${isStaged} ORDER BY id LIMIT ${MOST_STAGED}`),
    listStaged: query<{ after: Uint8Array; limit: number }, DirectUploadRow>(
      `SELECT * FROM direct_uploads WHERE id > :after AND ${isStaged} ORDER BY id LIMIT :limit`,
    ),
    setFinalKey: query<Upload & { key: string }>(
      'UPDATE direct_uploads SET final_key = :key WHERE id = :id AND final_key IS NULL AND taken = 0',
    ),
    clearFinalKey: query<Upload>('UPDATE direct_uploads SET final_key = NULL WHERE id = :id'),
    takeUpload: query<Upload>('UPDATE direct_uploads SET taken = 1, final_key = NULL WHERE id = :id AND taken = 0'),
    deleteUpload: query<Upload>('DELETE FROM direct_uploads WHERE id = :id'),
    listExpired: query<{ before: number; limit: number }, Pick<DirectUploadRow, 'id'>>(
      'SELECT id FROM direct_uploads WHERE expires_at < :before ORDER BY expires_at LIMIT :limit',
    ),
  }
}
