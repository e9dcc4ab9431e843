import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { blobStatementsOn } from './blob-statements.ts'
import { type AttachmentPlace, type MediaName, mediaStatementsOn } from './media-statements.ts'
import type { AttachmentRow, MediaRow, MediaTables } from './media-tables.ts'

export type AttachmentStatements = ReturnType<typeof attachmentStatementsOn>

/** Those of a project before a time, milliseconds. */
export interface OldAttachments {
  readonly projectId: Uint8Array
  readonly before: number
}

/** The statements about media that the embedded journal runs itself, most of them in its own transaction. */
export function attachmentStatementsOn(database: SqlDatabase<MediaTables>) {
  const { query } = sqlTextOn(database)
  const { mediaKey, countAttachments, insertMedia, insertAttachment } = mediaStatementsOn(database)
  const { addBlobToDelete, pendingBlob, forgetBlob } = blobStatementsOn(database)
  return {
    mediaKey,
    countAttachments,
    insertMedia,
    insertAttachment,
    addBlobToDelete,
    pendingBlob,
    forgetBlob,
    /** Copies the latest attachment of the same bytes. */
    linkMedia: query<MediaName & AttachmentPlace & { createdAt: number }>(`INSERT INTO attachments
        (trace_id, step_id, id, project_id, sha256, kind, filename, claimed_type, created_at)
      SELECT :traceId, :stepId, :id, project_id, sha256, kind, filename, claimed_type, :createdAt FROM attachments
      WHERE project_id = :projectId AND sha256 = :sha256 ORDER BY id DESC LIMIT 1`),
    mediaOfTrace: query<{ traceId: Uint8Array }, Pick<AttachmentRow, 'project_id' | 'sha256'>>(
      'SELECT DISTINCT project_id, sha256 FROM attachments WHERE trace_id = :traceId',
    ),
    deleteAttachments: query<{ traceId: Uint8Array }>('DELETE FROM attachments WHERE trace_id = :traceId'),
    olderAttachments: query<
      OldAttachments & { limit: number },
      Pick<AttachmentRow, 'trace_id' | 'step_id' | 'id' | 'project_id' | 'sha256'>
    >(`SELECT trace_id, step_id, id, project_id, sha256 FROM attachments
      WHERE project_id = :projectId AND created_at < :before ORDER BY created_at LIMIT :limit`),
    countOlder: query<OldAttachments, { count: number }>(
      'SELECT count(*) AS count FROM attachments WHERE project_id = :projectId AND created_at < :before',
    ),
    deleteAttachment: query<AttachmentPlace>(
      'DELETE FROM attachments WHERE trace_id = :traceId AND step_id = :stepId AND id = :id',
    ),
    anyAttachmentOfMedia: query<MediaName>(
      'SELECT id FROM attachments WHERE project_id = :projectId AND sha256 = :sha256 LIMIT 1',
    ),
    deleteMedia: query<MediaName, Pick<MediaRow, 'blob_key'>>(
      'DELETE FROM media WHERE project_id = :projectId AND sha256 = :sha256 RETURNING blob_key',
    ),
  }
}
