import type { ProjectId } from '@spoor/contract/ids'
import type { PreparedStep } from '../../../ports/traces/prepared.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { CommitBatch } from '../commit-batch.ts'

/** Why a step's attachments are refused. */
export interface LinkRefusal {
  readonly code: 'attachment_not_found' | 'too_many'
  readonly detail: string
}

/** How many attachments the trace may still get; 0 if none of the steps has one. */
export function attachmentsLeft(
  batch: CommitBatch,
  { id }: Pick<TraceRecord, 'id'>,
  steps: readonly PreparedStep[],
): number {
  if (!steps.some(({ attachments }) => attachments.length > 0)) return 0
  return batch.context.mostAttachments - batch.attachmentsOf(id)
}

/** The media existed when the body was parsed, but may have been deleted since. `left`: see attachmentsLeft. */
export function checkLinks(
  { context: { known, mostAttachments } }: CommitBatch,
  projectId: ProjectId,
  { attachments }: PreparedStep,
  left: number,
): LinkRefusal | null {
  const missing = attachments.find((sha256) => !known.hasMedia(projectId, sha256))
  if (missing !== undefined) {
    const detail = `There is no media \`media://${projectId}/${missing}\` in the project any more.`
    return { code: 'attachment_not_found', detail }
  }
  if (attachments.length <= left) return null
  return { code: 'too_many', detail: `A trace has at most ${mostAttachments} attachments.` }
}
