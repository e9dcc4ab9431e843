import { DomainError } from '../lib/domain-error.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import type { BlobLeases } from './blob-lease.ts'
import type { BlobKey, BlobStore } from '../ports/media/blob-store.ts'
import type { Attachment } from '../ports/media/media-record.ts'
import type { MediaStore, NewAttachment } from '../ports/media/media-store.ts'
import { toMediaUri } from '../ports/media/media-uri.ts'
import { placeNotFound } from '../ports/media/trace-lookup.ts'

export interface AttachDependencies {
  readonly blobs: Pick<BlobStore, 'size'>
  readonly media: Pick<MediaStore, 'attach' | 'find'>
  readonly leases: BlobLeases
  readonly attachmentsPerTrace: number
  readonly onError: (error: unknown, message: string) => void
}

/**
 * Attaches received bytes. If the project already has the same bytes, the new ones are removed at once, unless the
 * store has lost the old ones: then the new ones replace them for everything that was attached to them. Throws the
 * error for the client; the caller then still owns the key.
 */
export async function attachReceived(dependencies: AttachDependencies, attachment: NewAttachment): Promise<Attachment> {
  const { media, leases, attachmentsPerTrace } = dependencies
  const lostKey = await findLostKey(dependencies, attachment)
  const outcome = await media.attach(attachment, attachmentsPerTrace, lostKey)
  switch (outcome.status) {
    case 'attached': {
      const { unusedKey } = outcome
      if (unusedKey !== null && unusedKey === lostKey) reportHealed(dependencies, attachment, lostKey)
      if (unusedKey !== null) await leases.dispose(unusedKey)
      return outcome.attachment
    }
    case 'trace_deleted':
      throw placeNotFound('/trace_id', `There is no trace ${attachment.traceId} in this project.`)
    case 'too_many': {
      const detail = `A trace has at most ${attachmentsPerTrace} attachments.`
      throw invalid({ pointer: '/trace_id', code: 'too_many', detail })
    }
    case 'lease_ended':
      throw new DomainError(
        'storage_unavailable',
        'The upload was considered abandoned while the service was suspended; send it again.',
        {
          retryAfterSeconds: 1,
        },
      )
    case 'upload_used':
      throw new DomainError('upload_url_used', 'This upload URL has been used; ask for another.')
  }
}

/**
 * The key under which the project should have the same bytes, if they are missing or have another length. It may be out
 * of date by the time it is used: after another upload healed it, or a deleted trace released it, the media no longer
 * has this key.
 */
async function findLostKey(
  { blobs, media }: AttachDependencies,
  { projectId, facts }: NewAttachment,
): Promise<BlobKey | null> {
  const known = await media.find(projectId, facts.sha256)
  if (known === null) return null
  return (await blobs.size(known.key)) === known.sizeBytes ? null : known.key
}

/** Only the operator can find the cause and other missing data. */
function reportHealed({ onError }: AttachDependencies, { projectId, facts }: NewAttachment, lostKey: BlobKey): void {
  const error = new Error(`the object ${lostKey} was not there in full: ${toMediaUri({ projectId, ...facts })}`)
  onError(error, 'the store had lost bytes of an artifact; an upload restored them')
}
