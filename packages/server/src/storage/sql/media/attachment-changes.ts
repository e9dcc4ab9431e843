import type { AttachmentLink } from '../../../ports/journal/journal.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { sha256Bytes } from '../journal/compact-key.ts'
import type { MediaStatements } from './attachment-statements.ts'

/** The step of an attachment that belongs to the whole trace. */
export const NO_STEP = new Uint8Array()

/**
 * Attaches media of the project to a step. Throws when it is not there: whoever commits has looked. To be called in a
 * transaction.
 */
export function linkMedia(
  sql: MediaStatements,
  { id, projectId, traceId, stepId, sha256 }: AttachmentLink,
  createdAt: number,
): void {
  const { changes } = sql.linkMedia.run(
    idToBytes(traceId),
    idToBytes(stepId),
    idToBytes(id),
    createdAt,
    idToBytes(projectId),
    sha256Bytes(sha256),
  )
  if (changes === 0) throw new Error(`there is no media ${sha256} in project ${projectId} to link to step ${stepId}`)
}

/**
 * Takes away every attachment of a trace; the bytes that nothing refers to any more wait for removal. To be called in a
 * transaction.
 */
export function releaseMedia(sql: MediaStatements, traceId: Uint8Array): void {
  const held = sql.mediaOfTrace.all(traceId)
  if (held.length === 0) return
  sql.deleteAttachments.run(traceId)
  for (const row of held) {
    const media = [row['project_id'] as Uint8Array, row['sha256'] as Uint8Array] as const
    if (sql.isReferenced.get(...media) !== undefined) continue
    const deleted = sql.deleteMedia.get(...media)
    sql.addCondemned.run(deleted?.['blob_key'] as string)
  }
}
