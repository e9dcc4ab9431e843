import type { AttachmentLink } from '../../../ports/journal/journal.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { sha256Bytes } from '../journal/compact-key.ts'
import { all, first, run, type Work } from '../kit/sql-database.ts'
import type { AttachmentStatements } from './attachment-statements.ts'

/** The step of an attachment that belongs to the whole trace. */
export const NO_STEP = new Uint8Array()

/** Attaches media of the project to a step. Throws if the project has no such media: the committer has checked that. */
export function* linkMedia(sql: AttachmentStatements, link: AttachmentLink, createdAt: number): Work<void> {
  const { id, projectId, traceId, stepId, sha256 } = link
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

/** Deletes every attachment of a trace. Bytes that no other attachment refers to are marked for deletion. */
export function* releaseMedia(sql: AttachmentStatements, traceId: Uint8Array): Work<void> {
  const held = yield* all(sql.mediaOfTrace({ traceId }))
  if (held.length === 0) return
  yield* run(sql.deleteAttachments({ traceId }))
  for (const { project_id: projectId, sha256 } of held) {
    if ((yield* first(sql.anyAttachmentOfMedia({ projectId, sha256 }))) !== undefined) continue
    const deleted = yield* first(sql.deleteMedia({ projectId, sha256 }))
    if (deleted !== undefined) yield* run(sql.addBlobToDelete({ key: deleted.blob_key }))
  }
}
