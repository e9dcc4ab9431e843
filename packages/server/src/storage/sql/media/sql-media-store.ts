import type { AttachmentId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import type { DirectUploadRecord } from '../../../ports/media/direct-upload-record.ts'
import type { Attachment, StoredMedia } from '../../../ports/media/media-record.ts'
import type { AttachOutcome, MediaStore, NewAttachment, UploadLease } from '../../../ports/media/media-store.ts'
import { sha256Bytes, sha256Hex } from '../journal/compact-key.ts'
import { readParts } from '../kit/list-statement.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { storeOn } from '../kit/store-on.ts'
import { attachWork } from './attach-work.ts'
import { NO_STEP, releaseOlder } from './attachment-changes.ts'
import { type AttachmentStatements, attachmentStatementsOn } from './attachment-statements.ts'
import { fromAttachmentRow, fromMediaRow, fromUploadRow, toUploadRow } from './media-row.ts'
import { mediaSqlOn } from './media-sql.ts'
import type { MediaTables } from './media-tables.ts'

/**
 * Media, attachments and the keys of their bytes. In the embedded profile the journal writes attachments too, in its
 * own transaction: see attachment-changes.ts.
 */
export class SqlMediaStore extends storeOn(mediaSqlOn) implements MediaStore {
  readonly #clock: Clock
  readonly #attachments: AttachmentStatements

  constructor(database: SqlDatabase<MediaTables>, clock: Clock) {
    super(database)
    this.#clock = clock
    this.#attachments = attachmentStatementsOn(database)
  }

  async beginBlob(key: BlobKey, { owner, durationMs }: UploadLease): Promise<void> {
    await this.run(this.sql.beginBlob({ key, owner, until: this.#clock.now() + durationMs }))
  }

  async renewBlobs({ owner, durationMs }: UploadLease): Promise<boolean> {
    return (await this.run(this.sql.renewBlobs({ owner, until: this.#clock.now() + durationMs }))) > 0
  }

  async markForDeletion(key: BlobKey): Promise<boolean> {
    return (await this.run(this.sql.markForDeletion({ key }))) === 1
  }

  async markAbandonedForDeletion(formerOwner: string | null): Promise<void> {
    await this.run(this.sql.markAbandonedForDeletion({ now: this.#clock.now(), formerOwner: formerOwner ?? '' }))
  }

  async forgetAbandoned(formerOwner: string | null): Promise<void> {
    await this.run(this.sql.forgetAbandoned({ now: this.#clock.now(), formerOwner: formerOwner ?? '' }))
  }

  async blobsToDelete(after: BlobKey | null, limit: number): Promise<readonly BlobKey[]> {
    const rows = await this.database.read(this.sql.blobsToDelete({ after: after ?? '', limit }))
    return rows.map((row) => row.blob_key as BlobKey)
  }

  async forgetBlob(key: BlobKey): Promise<void> {
    await this.run(this.sql.forgetBlob({ key }))
  }

  attach(attachment: NewAttachment, mostAttachments: number, lostKey: BlobKey | null): Promise<AttachOutcome> {
    return this.database.write(() => attachWork(this.sql, attachment, mostAttachments, lostKey))
  }

  async existing(projectId: ProjectId, sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    const found = this.sql.existing(sha256s.map(sha256Bytes), { projectId: idToBytes(projectId) })
    const rows = await readParts(this.database, found)
    return new Set(rows.map(({ sha256 }) => sha256Hex(sha256)))
  }

  async find(projectId: ProjectId, sha256: string): Promise<StoredMedia | null> {
    const name = { projectId: idToBytes(projectId), sha256: sha256Bytes(sha256) }
    return (await this.database.read(this.sql.findMedia(name))).map(fromMediaRow)[0] ?? null
  }

  async countByTrace(traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, number>> {
    const rows = await readParts(this.database, this.sql.countByTrace(traceIds.map(idToBytes), {}))
    return new Map(rows.map((row) => [idFromBytes('tr', row.trace_id), Number(row.count)]))
  }

  async attachmentsOf(
    traceId: TraceId,
    stepIds: readonly (StepId | null)[],
  ): Promise<ReadonlyMap<StepId | null, readonly Attachment[]>> {
    const trace = idToBytes(traceId)
    const found = new Map<StepId | null, Attachment[]>()
    // Most traces have many steps and no attachments.
    if ((await this.database.read(this.sql.anyAttachmentOf({ traceId: trace }))).length === 0) return found
    const steps = stepIds.map((stepId) => (stepId === null ? NO_STEP : idToBytes(stepId)))
    for (const row of await readParts(this.database, this.sql.attachmentsOf(steps, { traceId: trace }))) {
      const attachment = fromAttachmentRow(row)
      const list = found.get(attachment.stepId)
      if (list === undefined) found.set(attachment.stepId, [attachment])
      else list.push(attachment)
    }
    return found
  }

  releaseOlder(projectId: ProjectId, before: number, limit: number): Promise<number> {
    const old = { projectId: idToBytes(projectId), before, limit }
    return this.database.write(() => releaseOlder(this.#attachments, old))
  }

  async countOlder(projectId: ProjectId, before: number): Promise<number> {
    const [row] = await this.database.read(this.#attachments.countOlder({ projectId: idToBytes(projectId), before }))
    return Number(row?.count)
  }

  async announce(upload: DirectUploadRecord): Promise<void> {
    await this.run(this.sql.announce(toUploadRow(upload)))
  }

  async findAnnounced(id: AttachmentId): Promise<DirectUploadRecord | null> {
    return (await this.database.read(this.sql.findUpload({ id: idToBytes(id) }))).map(fromUploadRow)[0] ?? null
  }

  async findStaged(projectId: ProjectId, sha256: string): Promise<readonly DirectUploadRecord[]> {
    const name = { projectId: idToBytes(projectId), sha256: sha256Bytes(sha256) }
    return (await this.database.read(this.sql.findStaged(name))).map(fromUploadRow)
  }

  async listStaged(after: AttachmentId | null, limit: number): Promise<readonly DirectUploadRecord[]> {
    const afterId = after === null ? new Uint8Array() : idToBytes(after)
    return (await this.database.read(this.sql.listStaged({ after: afterId, limit }))).map(fromUploadRow)
  }

  async setFinalKey(id: AttachmentId, key: BlobKey): Promise<boolean> {
    return (await this.run(this.sql.setFinalKey({ id: idToBytes(id), key }))) === 1
  }

  releaseFinalKey(id: AttachmentId, key: BlobKey): Promise<void> {
    const upload = { id: idToBytes(id) }
    return this.transact(function* (sql): Work<void> {
      const row = yield* first(sql.findUpload(upload))
      if (row?.final_key !== key) return
      yield* run(sql.addBlobToDelete({ key }))
      yield* run(sql.clearFinalKey(upload))
    })
  }

  withdraw(id: AttachmentId): Promise<void> {
    const upload = { id: idToBytes(id) }
    return this.transact(function* (sql): Work<void> {
      const row = yield* first(sql.findUpload(upload))
      if (row === undefined) return
      for (const key of [row.staging_key, row.final_key]) if (key !== null) yield* run(sql.addBlobToDelete({ key }))
      yield* run(sql.deleteUpload(upload))
    })
  }

  async listExpired(before: number, limit: number): Promise<readonly AttachmentId[]> {
    const rows = await this.database.read(this.sql.listExpired({ before, limit }))
    return rows.map(({ id }) => idFromBytes('med', id))
  }
}
