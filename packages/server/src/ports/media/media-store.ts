import type { AttachmentId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { MediaKind } from '@spoor/contract/schemas/attachment'
import type { BlobKey } from './blob-store.ts'
import type { DirectUploadRecord } from './direct-upload-record.ts'
import type { Attachment, MediaFacts, StoredMedia } from './media-record.ts'

/** Stored bytes on their way to becoming an attachment. */
export interface NewAttachment {
  readonly id: AttachmentId
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly stepId: StepId | null
  readonly kind: MediaKind
  readonly filename: string | null
  readonly claimedType: string | null
  readonly createdAt: number
  readonly key: BlobKey
  readonly facts: MediaFacts
  /** The announced upload that this fulfils: it is used up by it. */
  readonly directUpload: AttachmentId | null
}

export type AttachOutcome =
  | {
      readonly status: 'attached'
      readonly attachment: Attachment
      /** Waits for removal: the attachment's own key when the project had the bytes, the lost one when it took that one's place; null when neither. */
      readonly unusedKey: BlobKey | null
    }
  /** Nothing was changed. */
  | { readonly status: 'trace_deleted' | 'too_many' | 'upload_used' }

/**
 * What media there is: objects, attachments, announced uploads, and the keys of bytes that do not count. Every write is durable when it resolves.
 *
 * A key is in one of three places from before its first byte is written until after its last one is removed: pending (`beginBlob`, `condemnBlob`), in use by
 * media, or named by an announced upload. So bytes without a row are found after any crash, and a row is only made once its bytes are durable.
 */
export interface MediaStore {
  /** To be called before anything is written under the key. */
  beginBlob(key: BlobKey): Promise<void>
  /** What was written under the key, if anything, is to be removed. Does nothing to a key that came into use. Returns whether it is to be removed. */
  condemnBlob(key: BlobKey): Promise<boolean>
  /** Every pending key waits for removal from now on. To be called at start, before any write. */
  condemnAllBlobs(): Promise<void>
  /** Forgets pending keys that do not wait for removal: what was written under them stays, and nothing refers to it. */
  forgetPendingBlobs(): Promise<void>
  /** Keys that wait for removal, in order. */
  condemnedBlobs(after: BlobKey | null, limit: number): Promise<readonly BlobKey[]>
  /** To be called once the bytes are gone. */
  forgetBlob(key: BlobKey): Promise<void>

  /**
   * Makes stored bytes count, all or nothing: media unless the project has the same bytes, the attachment, and the announced upload taken. At most
   * `mostAttachments` for a trace. Media that still lies under `lostKey`, of which the store has no bytes or not all, gets the key of the attachment instead.
   */
  attach(attachment: NewAttachment, mostAttachments: number, lostKey: BlobKey | null): Promise<AttachOutcome>

  /** Whether something can be linked to these bytes. Synchronous: asked while a commit is put together. */
  has(projectId: ProjectId, sha256: string): boolean
  /** Attachments of a trace, those of its steps included. Synchronous as `has`. */
  countOf(traceId: TraceId): number
  find(projectId: ProjectId, sha256: string): Promise<StoredMedia | null>
  /** Numbers of attachments, those of steps included; traces without any are left out. */
  countByTrace(traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, number>>
  /** In the order they were attached. `null` stands for the trace itself. */
  attachmentsOf(
    traceId: TraceId,
    stepIds: readonly (StepId | null)[],
  ): Promise<ReadonlyMap<StepId | null, readonly Attachment[]>>

  announce(upload: DirectUploadRecord): Promise<void>
  findAnnounced(id: AttachmentId): Promise<DirectUploadRecord | null>
  /** Uploads to the store itself, of these bytes, that are not taken in. At most 100. */
  findStaged(projectId: ProjectId, sha256: string): Promise<readonly DirectUploadRecord[]>
  /** Uploads to the store itself that are not taken in, by id. */
  listStaged(after: AttachmentId | null, limit: number): Promise<readonly DirectUploadRecord[]>
  /** Names the key that the object is promoted to. Durable before that begins. */
  setFinalKey(id: AttachmentId, key: BlobKey): Promise<boolean>
  /** What came under the final key is not what was announced: it waits for removal, and the upload for another try. */
  releaseFinalKey(id: AttachmentId): Promise<void>
  /** Forgets an announced upload: its keys wait for removal. */
  withdraw(id: AttachmentId): Promise<void>
  /** Announced uploads that expired before this time, oldest first. */
  listExpired(before: number, limit: number): Promise<readonly AttachmentId[]>
}
