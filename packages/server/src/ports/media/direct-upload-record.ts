import type { AttachmentId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { MediaKind } from '@spoor/contract/schemas/attachment'
import type { BlobKey } from './blob-store.ts'

/** An upload that was announced and signed and has not come yet. */
export interface DirectUploadRecord {
  /** The name of the attachment. */
  readonly id: AttachmentId
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly stepId: StepId | null
  readonly kind: MediaKind
  readonly filename: string | null
  readonly contentType: string
  readonly sizeBytes: number
  /** Lower-case hex. */
  readonly sha256: string
  /** Where the client puts it in the store; null when it comes through the service. */
  readonly stagingKey: BlobKey | null
  /** Where it goes once it has come; null until then. */
  readonly finalKey: BlobKey | null
  /** Whether it has become an attachment. The row stays until nobody can write to the staging key any more. */
  readonly taken: boolean
  readonly createdAt: number
  readonly expiresAt: number
}
