import type { SelectQueryBuilder } from 'kysely'
import type { SqlDatabase } from '../kit/sql-database.ts'
import type { AttachmentRow, MediaRow, MediaTables } from './media-tables.ts'

interface MediaName {
  readonly projectId: Uint8Array
  readonly sha256: Uint8Array
}

const ATTACHMENT = [
  'attachments.id',
  'attachments.project_id',
  'attachments.trace_id',
  'attachments.step_id',
  'attachments.kind',
  'attachments.filename',
  'attachments.claimed_type',
  'attachments.created_at',
  'media.sha256',
  'media.content_type',
  'media.size_bytes',
  'media.width',
  'media.height',
] as const

/** Media and their attachments. */
export function mediaStatementsOn(database: SqlDatabase<MediaTables>) {
  return {
    isDeletedTrace: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries.selectFrom('deleted_traces').select('trace_id').where('trace_id', '=', traceId),
    ),
    mediaKey: database.statement((queries, { projectId, sha256 }: MediaName) =>
      queries.selectFrom('media').select('blob_key').where('project_id', '=', projectId).where('sha256', '=', sha256),
    ),
    insertMedia: database.statement((queries, row: MediaRow) => queries.insertInto('media').values(row)),
    moveMedia: database.statement((queries, { projectId, sha256, key }: MediaName & { readonly key: string }) =>
      queries
        .updateTable('media')
        .set({ blob_key: key })
        .where('project_id', '=', projectId)
        .where('sha256', '=', sha256),
    ),
    insertAttachment: database.statement((queries, row: AttachmentRow) =>
      queries.insertInto('attachments').values(row),
    ),
    attachment: database.statement(
      (queries, { traceId, stepId, id }: { traceId: Uint8Array; stepId: Uint8Array; id: Uint8Array }) =>
        withMedia(queries.selectFrom('attachments'))
          .where('attachments.trace_id', '=', traceId)
          .where('attachments.step_id', '=', stepId)
          .where('attachments.id', '=', id),
    ),
    /** Of the same bytes on the same step. */
    sameBytes: database.statement(
      (queries, { traceId, stepId, sha256 }: { traceId: Uint8Array; stepId: Uint8Array; sha256: Uint8Array }) =>
        queries
          .selectFrom('attachments')
          .select(['id', 'filename', 'kind', 'claimed_type'])
          .where('trace_id', '=', traceId)
          .where('step_id', '=', stepId)
          .where('sha256', '=', sha256)
          .orderBy('id'),
    ),
    findMedia: database.statement((queries, { projectId, sha256 }: MediaName) =>
      queries
        .selectFrom('media')
        .innerJoin('attachments', (join) =>
          join
            .onRef('attachments.project_id', '=', 'media.project_id')
            .onRef('attachments.sha256', '=', 'media.sha256'),
        )
        .selectAll('media')
        .select(['attachments.filename', 'attachments.claimed_type'])
        .where('media.project_id', '=', projectId)
        .where('media.sha256', '=', sha256)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('deleted_traces')
                .select('deleted_traces.trace_id')
                .whereRef('deleted_traces.trace_id', '=', 'attachments.trace_id'),
            ),
          ),
        )
        .orderBy('attachments.id', 'desc')
        .limit(1),
    ),
    existing: (projectId: Uint8Array, sha256s: readonly Uint8Array[]) =>
      database.bound((queries) =>
        queries.selectFrom('media').select('sha256').where('project_id', '=', projectId).where('sha256', 'in', sha256s),
      ),
    countAttachments: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries
        .selectFrom('attachments')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('trace_id', '=', traceId),
    ),
    countByTrace: (traceIds: readonly Uint8Array[]) =>
      database.bound((queries) =>
        queries
          .selectFrom('attachments')
          .select(({ fn }) => ['trace_id', fn.countAll().as('count')])
          .where('trace_id', 'in', traceIds)
          .groupBy('trace_id'),
      ),
    anyAttachmentOf: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries.selectFrom('attachments').select('id').where('trace_id', '=', traceId).limit(1),
    ),
    attachmentsOf: (traceId: Uint8Array, stepIds: readonly Uint8Array[]) =>
      database.bound((queries) =>
        withMedia(queries.selectFrom('attachments'))
          .where('attachments.trace_id', '=', traceId)
          .where('attachments.step_id', 'in', stepIds)
          .orderBy('attachments.id'),
      ),
  }
}

function withMedia(attachments: SelectQueryBuilder<MediaTables, 'attachments', object>) {
  return attachments
    .innerJoin('media', (join) =>
      join.onRef('media.project_id', '=', 'attachments.project_id').onRef('media.sha256', '=', 'attachments.sha256'),
    )
    .select(ATTACHMENT)
}
