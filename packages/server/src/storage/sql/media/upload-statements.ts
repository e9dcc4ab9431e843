import { sql } from 'kysely'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { DirectUploadRow, MediaTables } from './media-tables.ts'

/** Not a parameter: see blob-statements.ts. */
const NOT_TAKEN = sql.lit(0)
const MOST_STAGED = 100

/** Announced uploads. */
export function uploadStatementsOn(database: SqlDatabase<MediaTables>) {
  return {
    announce: database.statement((queries, row: DirectUploadRow) => queries.insertInto('direct_uploads').values(row)),
    findUpload: database.statement((queries, { id }: { id: Uint8Array }) =>
      queries.selectFrom('direct_uploads').selectAll().where('id', '=', id),
    ),
    findStaged: database.statement((queries, { projectId, sha256 }: { projectId: Uint8Array; sha256: Uint8Array }) =>
      queries
        .selectFrom('direct_uploads')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('sha256', '=', sha256)
        .where('staging_key', 'is not', null)
        .where('taken', '=', NOT_TAKEN)
        .orderBy('id')
        .limit(MOST_STAGED),
    ),
    listStaged: database.statement((queries, { after, limit }: { after: Uint8Array; limit: number }) =>
      queries
        .selectFrom('direct_uploads')
        .selectAll()
        .where('id', '>', after)
        .where('staging_key', 'is not', null)
        .where('taken', '=', NOT_TAKEN)
        .orderBy('id')
        .limit(limit),
    ),
    setFinalKey: database.statement((queries, { id, key }: { id: Uint8Array; key: string }) =>
      queries
        .updateTable('direct_uploads')
        .set({ final_key: key })
        .where('id', '=', id)
        .where('final_key', 'is', null)
        .where('taken', '=', NOT_TAKEN),
    ),
    clearFinalKey: database.statement((queries, { id }: { id: Uint8Array }) =>
      queries.updateTable('direct_uploads').set({ final_key: null }).where('id', '=', id),
    ),
    takeUpload: database.statement((queries, { id }: { id: Uint8Array }) =>
      queries
        .updateTable('direct_uploads')
        .set({ taken: 1, final_key: null })
        .where('id', '=', id)
        .where('taken', '=', NOT_TAKEN),
    ),
    deleteUpload: database.statement((queries, { id }: { id: Uint8Array }) =>
      queries.deleteFrom('direct_uploads').where('id', '=', id),
    ),
    listExpired: database.statement((queries, { before, limit }: { before: number; limit: number }) =>
      queries
        .selectFrom('direct_uploads')
        .select('id')
        .where('expires_at', '<', before)
        .orderBy('expires_at')
        .limit(limit),
    ),
  }
}
