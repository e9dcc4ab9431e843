import { DomainError } from '../lib/domain-error.ts'
import type { BlobLeases } from './blob-lease.ts'
import type { Attachment } from './media-record.ts'
import type { MediaStore, NewAttachment } from './media-store.ts'
import { placeNotFound } from './trace-lookup.ts'

export interface AttachDependencies {
  readonly media: Pick<MediaStore, 'attach'>
  readonly leases: BlobLeases
  readonly attachmentsPerTrace: number
}

/** Makes received bytes count. Bytes that the project has already are given back at once. Throws what a client is to be told; the key is the caller's then. */
export async function attachReceived(
  { media, leases, attachmentsPerTrace }: AttachDependencies,
  attachment: NewAttachment,
): Promise<Attachment> {
  const outcome = await media.attach(attachment, attachmentsPerTrace)
  switch (outcome.status) {
    case 'attached':
      if (!outcome.keyUsed) await leases.dispose(attachment.key)
      return outcome.attachment
    case 'trace_deleted':
      throw placeNotFound('/trace_id', `There is no trace ${attachment.traceId} in this project.`)
    case 'too_many': {
      const detail = `A trace has at most ${attachmentsPerTrace} attachments.`
      throw new DomainError('validation_failed', detail, {
        errors: [{ pointer: '/trace_id', code: 'too_many', detail }],
      })
    }
    case 'upload_used':
      throw new DomainError('upload_url_used', 'This upload URL has been used; ask for another.')
  }
}
