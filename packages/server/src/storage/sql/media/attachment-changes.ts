import type { AttachmentLink } from '../../../ports/journal/journal.ts'
import type { StoredBytes } from '../../../ports/media/media-record.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { sha256Bytes } from '../journal/compact-key.ts'
import { all, first, run, type Work } from '../kit/sql-database.ts'
import type { AttachmentStatements, OldAttachments } from './attachment-statements.ts'
import { toMediaRow } from './media-row.ts'
import type { AttachmentRow } from './media-tables.ts'

/** The step of an attachment that belongs to the whole trace. */
export const NO_STEP = new Uint8Array()

/** Attaches media to a step. Throws if the project has no such media: the committer has checked that. */
export function* linkMedia(sql: AttachmentStatements, link: AttachmentLink, createdAt: number): Work<void> {
  const { id, projectId, traceId, stepId, sha256, stored } = link
  if (stored !== undefined) return yield* linkStored(sql, link, stored, createdAt)
  const changes = yield* run(
    sql.linkMedia({
      traceId: idToBytes(traceId),
      stepId: idToBytes(stepId),
      id: idToBytes(id),
      createdAt,
      projectId: idToBytes(projectId),
      sha256: sha256Bytes(sha256),
    }),
  )
  if (changes === 0) throw new Error(`there is no media ${sha256} in project ${projectId} to link to step ${stepId}`)
}

/** Makes stored bytes media of the project, unless it has the same, and attaches them. */
function* linkStored(
  sql: AttachmentStatements,
  { id, projectId, traceId, stepId }: AttachmentLink,
  stored: StoredBytes,
  createdAt: number,
): Work<void> {
  const { key, kind, filename, claimedType, facts } = stored
  const row = toMediaRow(projectId, facts, key, createdAt)
  const name = { projectId: row.project_id, sha256: row.sha256 }
  if ((yield* first(sql.mediaKey(name))) === undefined) {
    const pending = yield* first(sql.pendingBlob({ key }))
    if (pending?.condemned !== 0) {
      stored.isGone = true
      throw new Error(`the bytes ${key} were given up: their media was deleted, or the lease of their owner had ended`)
    }
    yield* run(sql.forgetBlob({ key }))
    yield* run(sql.insertMedia(row))
  }
  yield* run(
    sql.insertAttachment({
      trace_id: idToBytes(traceId),
      step_id: idToBytes(stepId),
      id: idToBytes(id),
      project_id: row.project_id,
      sha256: row.sha256,
      kind,
      filename,
      claimed_type: claimedType,
      created_at: createdAt,
    }),
  )
}

/** Deletes every attachment of a trace. Bytes that no other attachment refers to are marked for deletion. */
export function* releaseMedia(sql: AttachmentStatements, traceId: Uint8Array): Work<void> {
  const held = yield* all(sql.mediaOfTrace({ traceId }))
  if (held.length === 0) return
  yield* run(sql.deleteAttachments({ traceId }))
  yield* releaseUnused(sql, held)
}

/** The same for the attachments of a project before a time, at most `limit`, the oldest first. Returns their number. */
export function* releaseOlder(sql: AttachmentStatements, old: OldAttachments & { limit: number }): Work<number> {
  const held = yield* all(sql.olderAttachments(old))
  for (const { trace_id: traceId, step_id: stepId, id } of held)
    yield* run(sql.deleteAttachment({ traceId, stepId, id }))
  yield* releaseUnused(sql, held)
  return held.length
}

function* releaseUnused(
  sql: AttachmentStatements,
  held: readonly Pick<AttachmentRow, 'project_id' | 'sha256'>[],
): Work<void> {
  for (const { project_id: projectId, sha256 } of held) {
    if ((yield* first(sql.anyAttachmentOfMedia({ projectId, sha256 }))) !== undefined) continue
    const deleted = yield* first(sql.deleteMedia({ projectId, sha256 }))
    if (deleted !== undefined) yield* run(sql.addBlobToDelete({ key: deleted.blob_key }))
  }
}
