import type { DatabaseSync } from 'node:sqlite'
import type { AttachmentId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import type { DirectUploadRecord } from '../../../ports/media/direct-upload-record.ts'
import type { Attachment, StoredMedia } from '../../../ports/media/media-record.ts'
import type { AttachOutcome, MediaStore, NewAttachment } from '../../../ports/media/media-store.ts'
import { NO_STEP } from './attachment-changes.ts'
import { sha256Bytes } from '../journal/compact-key.ts'
import { directUploadValues, toAttachment, toDirectUpload, toStoredMedia } from './media-rows.ts'
import { type MediaStatements, prepareMedia } from './media-statements.ts'
import { SharedWrites } from '../shared-writes.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'

/**
 * Media in SQLite. On prepared statements like the journal, whose transactions change attachments too: links of steps come with their commit, and the deletion of a trace
 * releases its media. Requests share transactions: with small files the flush is what an upload costs.
 */
export class SqliteMediaStore implements MediaStore {
  readonly #sql: MediaStatements
  readonly #writes: SharedWrites
  readonly #onReadError: OnReadError

  constructor(database: DatabaseSync, onReadError: OnReadError = () => undefined) {
    this.#sql = prepareMedia(database)
    this.#writes = new SharedWrites(database)
    this.#onReadError = onReadError
  }

  async beginBlob(key: BlobKey): Promise<void> {
    await this.#writes.run(() => this.#sql.beginBlob.run(key))
  }

  async condemnBlob(key: BlobKey): Promise<boolean> {
    const { changes } = await this.#writes.run(() => this.#sql.condemnBlob.run(key))
    return changes === 1
  }

  async condemnAllBlobs(): Promise<void> {
    await this.#writes.run(() => this.#sql.condemnAllBlobs.run())
  }

  async forgetPendingBlobs(): Promise<void> {
    await this.#writes.run(() => this.#sql.forgetPendingBlobs.run())
  }

  async condemnedBlobs(after: BlobKey | null, limit: number): Promise<readonly BlobKey[]> {
    return this.#read(() => this.#sql.condemned.all(after ?? '', limit).map((row) => row['blob_key'] as BlobKey))
  }

  async forgetBlob(key: BlobKey): Promise<void> {
    await this.#writes.run(() => this.#sql.forgetBlob.run(key))
  }

  attach(attachment: NewAttachment, mostAttachments: number, lostKey: BlobKey | null): Promise<AttachOutcome> {
    return this.#writes.run(() => this.#attach(attachment, mostAttachments, lostKey))
  }

  #attach(newAttachment: NewAttachment, mostAttachments: number, lostKey: BlobKey | null): AttachOutcome {
    const { facts, directUpload, ...attachment } = newAttachment
    const traceId = idToBytes(attachment.traceId)
    const projectId = idToBytes(attachment.projectId)
    const stepId = attachment.stepId === null ? NO_STEP : idToBytes(attachment.stepId)
    const sha256 = sha256Bytes(facts.sha256)
    const id = idToBytes(attachment.id)
    if (this.#sql.isDeletedTrace.get(traceId) !== undefined) return { status: 'trace_deleted' }
    if (this.#count(traceId) >= mostAttachments) return { status: 'too_many' }
    if (directUpload !== null && this.#sql.takeDirect.run(idToBytes(directUpload)).changes === 0) {
      return { status: 'upload_used' }
    }
    const unusedKey = this.#keep(newAttachment, lostKey)
    const { kind, filename, claimedType, createdAt } = attachment
    this.#sql.insertAttachment.run(traceId, stepId, id, projectId, sha256, kind, filename, claimedType, createdAt)
    const row = this.#sql.attachment.get(traceId, stepId, id)
    if (row === undefined) throw new Error('an attachment is not there after it was written')
    return { status: 'attached', attachment: toAttachment(row), unusedKey }
  }

  /** Makes the bytes the project's, unless it has them. Returns the key that is not needed for that (any more), which waits for removal from now on. */
  #keep({ facts, key, createdAt, ...attachment }: NewAttachment, lostKey: BlobKey | null): BlobKey | null {
    const media = [idToBytes(attachment.projectId), sha256Bytes(facts.sha256)] as const
    const known = this.#sql.mediaKey.get(...media)
    const { contentType, sizeBytes, width, height } = facts
    if (known === undefined) this.#sql.insertMedia.run(...media, key, contentType, sizeBytes, width, height, createdAt)
    else if (known['blob_key'] === lostKey) this.#sql.moveMedia.run(key, ...media)
    else return this.#condemn(key)
    this.#sql.forgetBlob.run(key)
    return known === undefined ? null : this.#condemn(known['blob_key'] as BlobKey)
  }

  #condemn(key: BlobKey): BlobKey {
    this.#sql.addCondemned.run(key)
    return key
  }

  has(projectId: ProjectId, sha256: string): boolean {
    return this.#read(() => this.#sql.mediaKey.get(idToBytes(projectId), sha256Bytes(sha256))) !== undefined
  }

  countOf(traceId: TraceId): number {
    return this.#read(() => this.#count(idToBytes(traceId)))
  }

  async find(projectId: ProjectId, sha256: string): Promise<StoredMedia | null> {
    const row = this.#read(() => this.#sql.findMedia.get(idToBytes(projectId), sha256Bytes(sha256)))
    return row === undefined ? null : toStoredMedia(row)
  }

  async countByTrace(traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, number>> {
    return this.#read(() => {
      const counts = new Map<TraceId, number>()
      if (this.#sql.anyAttachment.get() === undefined) return counts
      for (const traceId of traceIds) {
        const count = this.#count(idToBytes(traceId))
        if (count > 0) counts.set(traceId, count)
      }
      return counts
    })
  }

  async attachmentsOf(
    traceId: TraceId,
    stepIds: readonly (StepId | null)[],
  ): Promise<ReadonlyMap<StepId | null, readonly Attachment[]>> {
    return this.#read(() => {
      const found = new Map<StepId | null, readonly Attachment[]>()
      const trace = idToBytes(traceId)
      if (this.#sql.anyAttachmentOf.get(trace) === undefined) return found
      for (const stepId of stepIds) {
        const rows = this.#sql.attachmentsOf.all(trace, stepId === null ? NO_STEP : idToBytes(stepId))
        if (rows.length > 0) found.set(stepId, rows.map(toAttachment))
      }
      return found
    })
  }

  async announce(upload: DirectUploadRecord): Promise<void> {
    await this.#writes.run(() => this.#sql.insertDirect.run(...directUploadValues(upload)))
  }

  async findAnnounced(id: AttachmentId): Promise<DirectUploadRecord | null> {
    const row = this.#read(() => this.#sql.findDirect.get(idToBytes(id)))
    return row === undefined ? null : toDirectUpload(row)
  }

  async findStaged(projectId: ProjectId, sha256: string): Promise<readonly DirectUploadRecord[]> {
    return this.#read(() => this.#sql.findStaged.all(idToBytes(projectId), sha256Bytes(sha256))).map(toDirectUpload)
  }

  async listStaged(after: AttachmentId | null, limit: number): Promise<readonly DirectUploadRecord[]> {
    const behind = after === null ? NO_STEP : idToBytes(after)
    return this.#read(() => this.#sql.listStaged.all(behind, limit)).map(toDirectUpload)
  }

  setFinalKey(id: AttachmentId, key: BlobKey): Promise<boolean> {
    return this.#writes.run(() => Number(this.#sql.setFinalKey.run(key, idToBytes(id)).changes) === 1)
  }

  async releaseFinalKey(id: AttachmentId): Promise<void> {
    await this.#writes.run(() => {
      const row = this.#sql.findDirect.get(idToBytes(id))
      if (row === undefined || row['final_key'] === null) return
      this.#sql.addCondemned.run(row['final_key'] as string)
      this.#sql.setFinalKey.run(null, idToBytes(id))
    })
  }

  async withdraw(id: AttachmentId): Promise<void> {
    await this.#writes.run(() => {
      const row = this.#sql.findDirect.get(idToBytes(id))
      if (row === undefined) return
      const { stagingKey, finalKey } = toDirectUpload(row)
      for (const key of [stagingKey, finalKey]) if (key !== null) this.#sql.addCondemned.run(key)
      this.#sql.deleteDirect.run(idToBytes(id))
    })
  }

  async listExpired(before: number, limit: number): Promise<readonly AttachmentId[]> {
    return this.#read(() => this.#sql.listExpired.all(before, limit)).map((row) =>
      idFromBytes('med', row['id'] as Uint8Array),
    )
  }

  #count(traceId: Uint8Array): number {
    return Number(this.#sql.countAttachments.get(traceId)?.['count'])
  }

  #read<T>(read: () => T): T {
    return readOrRefuse(read, this.#onReadError)
  }
}
