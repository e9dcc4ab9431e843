import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import type { AttachOutcome, NewAttachment } from '../../../ports/media/media-store.ts'
import { sha256Bytes } from '../journal/compact-key.ts'
import { all, first, run, type Work } from '../kit/sql-database.ts'
import { NO_STEP } from './attachment-changes.ts'
import { fromAttachmentRow, toMediaRow } from './media-row.ts'
import type { MediaSql } from './media-sql.ts'

/** The transaction of `MediaStore.attach`. */
export function* attachWork(
  sql: MediaSql,
  attachment: NewAttachment,
  mostAttachments: number,
  lostKey: BlobKey | null,
): Work<AttachOutcome> {
  const { facts, directUpload } = attachment
  const traceId = idToBytes(attachment.traceId)
  if ((yield* first(sql.isDeletedTrace({ traceId }))) !== undefined) return { status: 'trace_deleted' }
  const stepId = attachment.stepId === null ? NO_STEP : idToBytes(attachment.stepId)
  const sha256 = sha256Bytes(facts.sha256)
  // An upload that is sent again, because its answer was lost.
  const before = yield* all(sql.sameBytes({ traceId, stepId, sha256 }))
  const same = before.find(
    ({ filename, kind, claimed_type: claimedType }) =>
      filename === attachment.filename && kind === attachment.kind && claimedType === attachment.claimedType,
  )
  const known = yield* first(sql.countAttachments({ traceId }))
  if (same === undefined && Number(known?.count) >= mostAttachments) return { status: 'too_many' }
  const upload = directUpload === null ? undefined : { id: idToBytes(directUpload) }
  const announced = upload === undefined ? undefined : yield* first(sql.findUpload(upload))
  if (upload !== undefined && (announced === undefined || announced.taken === 1)) return { status: 'upload_used' }
  const pending = yield* first(sql.pendingBlob({ key: attachment.key }))
  const isHeld = pending === undefined ? announced?.final_key === attachment.key : pending.condemned === 0
  if (!isHeld) return { status: 'lease_ended' }
  if (upload !== undefined) yield* run(sql.takeUpload(upload))
  const unusedKey = yield* storeMedia(sql, attachment, lostKey)
  const place = { traceId, stepId, id: same?.id ?? idToBytes(attachment.id) }
  if (same === undefined) {
    yield* run(
      sql.insertAttachment({
        trace_id: traceId,
        step_id: stepId,
        id: place.id,
        project_id: idToBytes(attachment.projectId),
        sha256,
        kind: attachment.kind,
        filename: attachment.filename,
        claimed_type: attachment.claimedType,
        created_at: attachment.createdAt,
      }),
    )
  }
  const row = yield* first(sql.attachment(place))
  if (row === undefined) throw new Error('an attachment is missing after it was written')
  return { status: 'attached', attachment: fromAttachmentRow(row), unusedKey }
}

/**
 * Stores the bytes as media of the project, unless it has them. Returns the key that is not needed, which is now marked
 * for deletion.
 */
function* storeMedia(
  sql: MediaSql,
  { facts, key, createdAt, projectId }: NewAttachment,
  lostKey: BlobKey | null,
): Work<BlobKey | null> {
  const name = { projectId: idToBytes(projectId), sha256: sha256Bytes(facts.sha256) }
  const known = (yield* first(sql.mediaKey(name)))?.blob_key as BlobKey | undefined
  if (known !== undefined && known !== lostKey) {
    yield* run(sql.addBlobToDelete({ key }))
    return key
  }
  yield* run(sql.forgetBlob({ key }))
  if (known !== undefined) {
    yield* run(sql.moveMedia({ ...name, key }))
    yield* run(sql.addBlobToDelete({ key: known }))
    return known
  }
  yield* run(sql.insertMedia(toMediaRow(projectId, facts, key, createdAt)))
  return null
}
