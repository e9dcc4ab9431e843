import type { AttachmentId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import type { BlobKey } from './blob-store.ts'
import type { DirectUploadRecord } from './direct-upload-record.ts'
import type { Attachment, StoredMedia } from './media-record.ts'
import type { AttachOutcome, MediaStore, NewAttachment, UploadLease } from './media-store.ts'

/** `null`: to be removed. */
type Pending = { readonly owner: string; readonly until: number } | null

/** Media in memory. Passes media-store.conformance.ts. */
export class MemoryMedia implements MediaStore {
  readonly #pending = new Map<BlobKey, Pending>()
  /** Keys in use, by project and hash. */
  readonly #keys = new Map<string, BlobKey>()
  readonly #attached: NewAttachment[] = []
  readonly #uploads = new Map<AttachmentId, DirectUploadRecord>()
  readonly #deleted = new Set<TraceId>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** As a commit deletes it. */
  deleteTrace(traceId: TraceId): void {
    this.#deleted.add(traceId)
    this.#release(this.#attached.filter((one) => one.traceId === traceId))
  }

  #release(own: readonly NewAttachment[]): void {
    for (const one of own) this.#attached.splice(this.#attached.indexOf(one), 1)
    const used = new Set(this.#attached.map(nameOf))
    for (const name of new Set(own.map(nameOf))) {
      const key = this.#keys.get(name)
      if (used.has(name) || key === undefined) continue
      this.#keys.delete(name)
      this.#pending.set(key, null)
    }
  }

  /** Number of attachments of a trace. */
  countOf(traceId: TraceId): number {
    return this.#attached.filter((one) => one.traceId === traceId).length
  }

  async beginBlob(key: BlobKey, lease: UploadLease): Promise<void> {
    if (this.#pending.has(key)) throw new Error(`${key} is pending already`)
    this.#pending.set(key, this.#until(lease))
  }

  async renewBlobs(lease: UploadLease): Promise<boolean> {
    const own = [...this.#pending].filter(([, present]) => present?.owner === lease.owner)
    for (const [key] of own) this.#pending.set(key, this.#until(lease))
    return own.length > 0
  }

  async markForDeletion(key: BlobKey): Promise<boolean> {
    if (!this.#pending.has(key)) return false
    this.#pending.set(key, null)
    return true
  }

  async markAbandonedForDeletion(formerOwner: string | null): Promise<void> {
    for (const key of this.#abandoned(formerOwner)) this.#pending.set(key, null)
  }

  async forgetAbandoned(formerOwner: string | null): Promise<void> {
    for (const key of this.#abandoned(formerOwner)) this.#pending.delete(key)
  }

  async blobsToDelete(after: BlobKey | null, limit: number): Promise<readonly BlobKey[]> {
    const marked = [...this.#pending].filter(([, lease]) => lease === null).map(([key]) => key)
    return marked
      .filter((key) => after === null || key > after)
      .sort()
      .slice(0, limit)
  }

  async forgetBlob(key: BlobKey): Promise<void> {
    this.#pending.delete(key)
  }

  async attach(attachment: NewAttachment, mostAttachments: number, lostKey: BlobKey | null): Promise<AttachOutcome> {
    const { traceId, directUpload, key } = attachment
    if (this.#deleted.has(traceId)) return { status: 'trace_deleted' }
    const same = this.#attached.find(
      (one) =>
        nameOf(one) === nameOf(attachment) &&
        one.traceId === traceId &&
        one.stepId === attachment.stepId &&
        one.filename === attachment.filename &&
        one.kind === attachment.kind &&
        one.claimedType === attachment.claimedType,
    )
    if (same === undefined && this.countOf(traceId) >= mostAttachments) return { status: 'too_many' }
    const upload = directUpload === null ? null : this.#uploads.get(directUpload)
    if (upload === undefined || upload?.taken === true) return { status: 'upload_used' }
    const lease = this.#pending.get(key)
    if (lease === null || (lease === undefined && upload?.finalKey !== key)) return { status: 'lease_ended' }
    if (upload !== null) this.#uploads.set(upload.id, { ...upload, taken: true, finalKey: null })
    const known = this.#keys.get(nameOf(attachment))
    const isKept = known === undefined || known === lostKey
    const unusedKey = isKept ? (known ?? null) : key
    if (isKept) {
      this.#pending.delete(key)
      this.#keys.set(nameOf(attachment), key)
    }
    if (unusedKey !== null) this.#pending.set(unusedKey, null)
    if (same !== undefined) return { status: 'attached', attachment: toAttachment(same), unusedKey }
    const first = this.#attached.find((one) => nameOf(one) === nameOf(attachment))
    const kept = { ...attachment, facts: first?.facts ?? attachment.facts }
    this.#attached.push(kept)
    return { status: 'attached', attachment: toAttachment(kept), unusedKey }
  }

  async existing(projectId: ProjectId, sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(sha256s.filter((sha256) => this.#keys.has(`${projectId}/${sha256}`)))
  }

  async find(projectId: ProjectId, sha256: string): Promise<StoredMedia | null> {
    const key = this.#keys.get(`${projectId}/${sha256}`)
    const newest = this.#attached
      .filter((one) => nameOf(one) === `${projectId}/${sha256}`)
      .reduce<NewAttachment | null>((last, one) => (last === null || one.id > last.id ? one : last), null)
    if (key === undefined || newest === null) return null
    const { facts, filename, claimedType } = newest
    return { projectId, key, filename, claimedType, ...facts }
  }

  async countByTrace(traceIds: readonly TraceId[]): Promise<ReadonlyMap<TraceId, number>> {
    const counts = traceIds.map((traceId) => [traceId, this.countOf(traceId)] as const)
    return new Map(counts.filter(([, count]) => count > 0))
  }

  async attachmentsOf(traceId: TraceId, stepIds: readonly (StepId | null)[]) {
    const own = this.#attached.filter((one) => one.traceId === traceId).sort((a, b) => (a.id < b.id ? -1 : 1))
    const lists = stepIds.map(
      (stepId) => [stepId, own.filter((one) => one.stepId === stepId).map(toAttachment)] as const,
    )
    return new Map(lists.filter(([, list]) => list.length > 0))
  }

  async releaseOlder(projectId: ProjectId, before: number, limit: number): Promise<number> {
    const older = this.#older(projectId, before).slice(0, limit)
    this.#release(older)
    return older.length
  }

  async countOlder(projectId: ProjectId, before: number): Promise<number> {
    return this.#older(projectId, before).length
  }

  #older(projectId: ProjectId, before: number): NewAttachment[] {
    const older = this.#attached.filter((one) => one.projectId === projectId && one.createdAt < before)
    return older.sort((a, b) => a.createdAt - b.createdAt)
  }

  async announce(upload: DirectUploadRecord): Promise<void> {
    this.#uploads.set(upload.id, upload)
  }

  async findAnnounced(id: AttachmentId): Promise<DirectUploadRecord | null> {
    return this.#uploads.get(id) ?? null
  }

  async findStaged(projectId: ProjectId, sha256: string): Promise<readonly DirectUploadRecord[]> {
    const staged = this.#staged().filter((upload) => upload.projectId === projectId && upload.sha256 === sha256)
    return staged.slice(0, 100)
  }

  async listStaged(after: AttachmentId | null, limit: number): Promise<readonly DirectUploadRecord[]> {
    return this.#staged()
      .filter(({ id }) => after === null || id > after)
      .slice(0, limit)
  }

  async setFinalKey(id: AttachmentId, finalKey: BlobKey): Promise<boolean> {
    const upload = this.#uploads.get(id)
    if (upload === undefined || upload.taken || upload.finalKey !== null) return false
    this.#uploads.set(id, { ...upload, finalKey })
    return true
  }

  async releaseFinalKey(id: AttachmentId, key: BlobKey): Promise<void> {
    const upload = this.#uploads.get(id)
    if (upload?.finalKey !== key) return
    this.#pending.set(key, null)
    this.#uploads.set(id, { ...upload, finalKey: null })
  }

  async withdraw(id: AttachmentId): Promise<void> {
    const upload = this.#uploads.get(id)
    this.#uploads.delete(id)
    for (const key of [upload?.stagingKey, upload?.finalKey]) if (key) this.#pending.set(key, null)
  }

  async listExpired(before: number, limit: number): Promise<readonly AttachmentId[]> {
    const expired = [...this.#uploads.values()].filter(({ expiresAt }) => expiresAt < before)
    const oldestFirst = expired.sort((a, b) => a.expiresAt - b.expiresAt)
    return oldestFirst.map(({ id }) => id).slice(0, limit)
  }

  #staged(): DirectUploadRecord[] {
    const staged = [...this.#uploads.values()].filter(({ stagingKey, taken }) => stagingKey !== null && !taken)
    return staged.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  #until({ owner, durationMs }: UploadLease): Pending {
    return { owner, until: this.#clock.now() + durationMs }
  }

  #abandoned(formerOwner: string | null): BlobKey[] {
    const now = this.#clock.now()
    const isAbandoned = (lease: Pending) => lease !== null && (lease.until <= now || lease.owner === formerOwner)
    return [...this.#pending].filter(([, lease]) => isAbandoned(lease)).map(([key]) => key)
  }
}

function nameOf({ projectId, facts }: Pick<NewAttachment, 'projectId' | 'facts'>): string {
  return `${projectId}/${facts.sha256}`
}

function toAttachment({ id, projectId, traceId, stepId, kind, filename, createdAt, facts }: NewAttachment): Attachment {
  return { id, projectId, traceId, stepId, kind, filename, createdAt, ...facts }
}
