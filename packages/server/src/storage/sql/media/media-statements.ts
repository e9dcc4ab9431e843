import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { AttachmentRow, MediaRow, MediaTables } from './media-tables.ts'

export interface MediaName {
  readonly projectId: Uint8Array
  readonly sha256: Uint8Array
}

interface OfTrace {
  readonly traceId: Uint8Array
}

export interface AttachmentPlace extends OfTrace {
  readonly stepId: Uint8Array
  readonly id: Uint8Array
}

type AttachmentWithMedia = AttachmentRow & Pick<MediaRow, 'sha256' | 'content_type' | 'size_bytes' | 'width' | 'height'>

const WITH_MEDIA = `SELECT attachments.id, attachments.project_id, attachments.trace_id, attachments.step_id,
    attachments.kind, attachments.filename, attachments.claimed_type, attachments.created_at,
    media.sha256, media.content_type, media.size_bytes, media.width, media.height
  FROM attachments
  JOIN media ON media.project_id = attachments.project_id AND media.sha256 = attachments.sha256`

/** Media and their attachments. */
export function mediaStatementsOn(database: SqlDatabase<MediaTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    isDeletedTrace: query<OfTrace>('SELECT trace_id FROM deleted_traces WHERE trace_id = :traceId'),
    mediaKey: query<MediaName, Pick<MediaRow, 'blob_key'>>(
      'SELECT blob_key FROM media WHERE project_id = :projectId AND sha256 = :sha256',
    ),
    insertMedia: database.statement((queries, row: MediaRow) => queries.insertInto('media').values(row)),
    moveMedia: query<MediaName & { key: string }>(
      'UPDATE media SET blob_key = :key WHERE project_id = :projectId AND sha256 = :sha256',
    ),
    insertAttachment: database.statement((queries, row: AttachmentRow) =>
      queries.insertInto('attachments').values(row),
    ),
    attachment: query<AttachmentPlace, AttachmentWithMedia>(`${WITH_MEDIA} WHERE attachments.trace_id = :traceId
      AND attachments.step_id = :stepId AND attachments.id = :id`),
    /** Of the same bytes on the same step. */
    sameBytes: query<
      Omit<AttachmentPlace, 'id'> & { sha256: Uint8Array },
      Pick<AttachmentRow, 'id' | 'filename' | 'kind' | 'claimed_type'>
    >(`SELECT id, filename, kind, claimed_type FROM attachments
      WHERE trace_id = :traceId AND step_id = :stepId AND sha256 = :sha256 ORDER BY id`),
    findMedia: query<MediaName, MediaRow & Pick<AttachmentRow, 'filename' | 'claimed_type'>>(`SELECT media.*,
        attachments.filename, attachments.claimed_type
      FROM media
      JOIN attachments ON attachments.project_id = media.project_id AND attachments.sha256 = media.sha256
      WHERE media.project_id = :projectId AND media.sha256 = :sha256 AND NOT EXISTS (
        SELECT 1 FROM deleted_traces WHERE deleted_traces.trace_id = attachments.trace_id)
      ORDER BY attachments.id DESC LIMIT 1`),
    existing: listQuery<Uint8Array, Pick<MediaRow, 'sha256'>, { projectId: Uint8Array }>(
      'SELECT sha256 FROM media WHERE project_id = :projectId AND sha256 IN (:values)',
    ),
    countAttachments: query<OfTrace, { count: number }>(
      'SELECT count(*) AS count FROM attachments WHERE trace_id = :traceId',
    ),
    countByTrace: listQuery<Uint8Array, { trace_id: Uint8Array; count: number }>(
      'SELECT trace_id, count(*) AS count FROM attachments WHERE trace_id IN (:values) GROUP BY trace_id',
    ),
    anyAttachmentOf: query<OfTrace>('SELECT id FROM attachments WHERE trace_id = :traceId LIMIT 1'),
    attachmentsOf: listQuery<Uint8Array, AttachmentWithMedia, OfTrace>(`${WITH_MEDIA}
      WHERE attachments.trace_id = :traceId AND attachments.step_id IN (:values) ORDER BY attachments.id`),
  }
}
