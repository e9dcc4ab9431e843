import type { SqlDatabase } from '../kit/sql-database.ts'
import { blobStatementsOn } from './blob-statements.ts'
import { mediaStatementsOn } from './media-statements.ts'
import type { MediaTables } from './media-tables.ts'

export type AttachmentStatements = ReturnType<typeof attachmentStatementsOn>

interface MediaName {
  readonly projectId: Uint8Array
  readonly sha256: Uint8Array
}

interface Link extends MediaName {
  readonly traceId: Uint8Array
  readonly stepId: Uint8Array
  readonly id: Uint8Array
  readonly createdAt: number
}

/** Those of a project before a time, milliseconds. */
export interface OldAttachments {
  readonly projectId: Uint8Array
  readonly before: number
}

interface AttachmentPlace {
  readonly traceId: Uint8Array
  readonly stepId: Uint8Array
  readonly id: Uint8Array
}

/** The statements about media that the embedded journal runs itself, most of them in its own transaction. */
export function attachmentStatementsOn(database: SqlDatabase<MediaTables>) {
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
    linkMedia: database.statement((queries, link: Link) =>
      queries
        .insertInto('attachments')
        .columns([
          'trace_id',
          'step_id',
          'id',
          'project_id',
          'sha256',
          'kind',
          'filename',
          'claimed_type',
          'created_at',
        ])
        .expression((from) =>
          from
            .selectFrom('attachments as held')
            .select(({ val }) => [
              val(link.traceId).as('trace_id'),
              val(link.stepId).as('step_id'),
              val(link.id).as('id'),
              'held.project_id',
              'held.sha256',
              'held.kind',
              'held.filename',
              'held.claimed_type',
              val(link.createdAt).as('created_at'),
            ])
            .where('held.project_id', '=', link.projectId)
            .where('held.sha256', '=', link.sha256)
            .orderBy('held.id', 'desc')
            .limit(1),
        ),
    ),
    mediaOfTrace: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries.selectFrom('attachments').distinct().select(['project_id', 'sha256']).where('trace_id', '=', traceId),
    ),
    deleteAttachments: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries.deleteFrom('attachments').where('trace_id', '=', traceId),
    ),
    olderAttachments: database.statement(
      (queries, { projectId, before, limit }: OldAttachments & { readonly limit: number }) =>
        queries
          .selectFrom('attachments')
          .select(['trace_id', 'step_id', 'id', 'project_id', 'sha256'])
          .where('project_id', '=', projectId)
          .where('created_at', '<', before)
          .orderBy('created_at')
          .limit(limit),
    ),
    countOlder: database.statement((queries, { projectId, before }: OldAttachments) =>
      queries
        .selectFrom('attachments')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('project_id', '=', projectId)
        .where('created_at', '<', before),
    ),
    deleteAttachment: database.statement((queries, { traceId, stepId, id }: AttachmentPlace) =>
      queries
        .deleteFrom('attachments')
        .where('trace_id', '=', traceId)
        .where('step_id', '=', stepId)
        .where('id', '=', id),
    ),
    anyAttachmentOfMedia: database.statement((queries, { projectId, sha256 }: MediaName) =>
      queries
        .selectFrom('attachments')
        .select('id')
        .where('project_id', '=', projectId)
        .where('sha256', '=', sha256)
        .limit(1),
    ),
    deleteMedia: database.statement((queries, { projectId, sha256 }: MediaName) =>
      queries
        .deleteFrom('media')
        .where('project_id', '=', projectId)
        .where('sha256', '=', sha256)
        .returning('blob_key'),
    ),
  }
}
