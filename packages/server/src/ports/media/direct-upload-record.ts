import type { BlobKey } from './blob-store.ts'
import type { Attachment } from './media-record.ts'

/** An upload that was announced and signed and has not come yet. `id` is that of the attachment. */
export interface DirectUploadRecord extends Omit<Attachment, 'width' | 'height'> {
  /** Where the client puts it in the store; null when it comes through the service. */
  readonly stagingKey: BlobKey | null
  /** Where it goes once it has come; null until then. */
  readonly finalKey: BlobKey | null
  /** Whether it has become an attachment. The row stays until nobody can write to the staging key any more. */
  readonly taken: boolean
  readonly expiresAt: number
}
