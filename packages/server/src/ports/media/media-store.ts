import type { AttachmentId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { BlobKey } from './blob-store.ts'
import type { DirectUploadRecord } from './direct-upload-record.ts'
import type { Attachment, MediaFacts, StoredBytes, StoredMedia } from './media-record.ts'

/** Stored bytes on their way to becoming an attachment. */
export interface NewAttachment extends Omit<Attachment, keyof MediaFacts>, Omit<StoredBytes, 'isGone'> {
  /** The announced upload that this fulfils: it is used up by it. */
  readonly directUpload: AttachmentId | null
}

export type AttachOutcome =
  | {
      readonly status: 'attached'
      readonly attachment: Attachment
      /**
       * Waits for removal: the attachment's own key when the project had the bytes, the lost one when it took that
       * one's place; null when neither.
       */
      readonly unusedKey: BlobKey | null
    }
  /**
   * Nothing was changed. `lease_ended`: the key is neither pending nor named by the announced upload any more, because
   * another process considered its owner dead: its bytes may be deleted.
   */
  | { readonly status: 'trace_deleted' | 'too_many' | 'upload_used' | 'lease_ended' }

/** The owner of pending keys, and how long its lease lasts unless renewed. */
export interface UploadLease {
  /** Of a process or a node: the same for all its uploads. */
  readonly owner: string
  /** Milliseconds, by the clock of the store. */
  readonly durationMs: number
}

/**
 * Media objects, attachments, announced uploads, and the keys of bytes that are not in use.
 *
 * From before its first byte is written until after its last one is removed, a key is in one of three states: pending
 * (`beginBlob`, `markForDeletion`), in use by media, or named by an announced upload. So bytes without a row are found
 * after any crash, and a row is only written once its bytes are durable.
 *
 * A pending key has an owner and a lease, which its owner renews while it writes. Once the lease has ended, any process
 * may mark the key for deletion, and `attach` refuses it from then on: a process that was stopped and resumes does no
 * harm.
 *
 * - Every write is one transaction, durable when it resolves. Concurrent writes run one after the other.
 * - Media, attachments and uploads of another project are treated as missing.
 * - Methods reject with DomainError `storage_unavailable` or `disk_full`. A write that rejects has usually not
 *   happened, but may have been committed anyway: read before you act on it.
 */
export interface MediaStore {
  /** Call it before anything is written under the key, which MUST be new. */
  beginBlob(key: BlobKey, lease: UploadLease): Promise<void>
  /**
   * Extends the leases of all pending keys of the owner to `durationMs` from now. Keys that are marked for deletion
   * stay marked. Resolves with whether there are any.
   */
  renewBlobs(lease: UploadLease): Promise<boolean>
  /**
   * Marks the key for deletion, with what was written under it, if anything. Does nothing to a key in use. Returns
   * whether the key is marked.
   */
  markForDeletion(key: BlobKey): Promise<boolean>
  /**
   * Marks for deletion all pending keys whose lease has ended, and all keys of `formerOwner`, a process that is
   * certainly dead (null: no such process).
   */
  markAbandonedForDeletion(formerOwner: string | null): Promise<void>
  /** Removes the keys that `markAbandonedForDeletion` would mark: their bytes stay, unused. */
  forgetAbandoned(formerOwner: string | null): Promise<void>
  /** Keys marked for deletion, in order, those after `after`, at most `limit`. */
  blobsToDelete(after: BlobKey | null, limit: number): Promise<readonly BlobKey[]>
  /** Call it once the bytes are deleted. Does nothing if the key is not known. */
  forgetBlob(key: BlobKey): Promise<void>

  /**
   * Makes stored bytes count, all or nothing: media unless the project has the same bytes, the attachment, and the
   * announced upload taken. At most `mostAttachments` for a trace. An upload that is sent again is one attachment,
   * which is returned: the same bytes on the same step, with the same file name, kind and claimed type. Media that
   * still lies under `lostKey`, of which the store has no bytes or not all, gets the key of the attachment instead.
   * The key MUST be pending, or the final key of `directUpload`.
   */
  attach(attachment: NewAttachment, mostAttachments: number, lostKey: BlobKey | null): Promise<AttachOutcome>

  /** The hashes whose bytes the project has. Any number; one lookup for a commit. */
  existing(projectId: ProjectId, sha256s: readonly string[]): Promise<ReadonlySet<string>>
  /** With filename and claimed type of its newest attachment. */
  find(projectId: ProjectId, sha256: string): Promise<StoredMedia | null>
  /** Numbers of attachments, including attachments of steps; traces without any are left out. Any number of traces. */
  countByTrace(traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, number>>
  /**
   * Attachments of these steps, each list in the order of ids; `null` stands for the trace itself. Steps without any
   * are left out.
   */
  attachmentsOf(
    traceId: TraceId,
    stepIds: readonly (StepId | null)[],
  ): Promise<ReadonlyMap<StepId | null, readonly Attachment[]>>

  /**
   * Removes the attachments of a project that were made before a time (ms), the oldest first, at most `limit`. Bytes
   * without any attachment are then marked for deletion. Resolves with their number.
   */
  releaseOlder(projectId: ProjectId, before: number, limit: number): Promise<number>
  countOlder(projectId: ProjectId, before: number): Promise<number>

  /** `upload.id` MUST be new. */
  announce(upload: DirectUploadRecord): Promise<void>
  findAnnounced(id: AttachmentId): Promise<DirectUploadRecord | null>
  /** Uploads to the store itself, of these bytes, that are not taken in, by id. At most 100. */
  findStaged(projectId: ProjectId, sha256: string): Promise<readonly DirectUploadRecord[]>
  /** Uploads to the store itself that are not taken in, by id, those after `after`. */
  listStaged(after: AttachmentId | null, limit: number): Promise<readonly DirectUploadRecord[]>
  /**
   * Names the key that the object is promoted to. Durable before that begins. False, and nothing is changed, when the
   * upload was withdrawn or taken, or has a final key already: another process is taking it in.
   */
  setFinalKey(id: AttachmentId, key: BlobKey): Promise<boolean>
  /**
   * What came under this final key is not what was announced: it waits for removal, and the upload for another try.
   * Does nothing when the upload has another final key by now: another process took in that try.
   */
  releaseFinalKey(id: AttachmentId, key: BlobKey): Promise<void>
  /** Forgets an announced upload: its keys wait for removal. Does nothing when it is not known. */
  withdraw(id: AttachmentId): Promise<void>
  /** Announced uploads that expired before this time, taken ones too, oldest first. */
  listExpired(before: number, limit: number): Promise<readonly AttachmentId[]>
}
