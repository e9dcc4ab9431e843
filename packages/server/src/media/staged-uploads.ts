import type { AttachmentId, ProjectId } from '@spoor/contract/ids'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { freePassing } from '../lib/flow/passing-bytes.ts'
import { findMismatch } from './announced-match.ts'
import { type AttachDependencies, attachReceived } from './attach-received.ts'
import type { BlobKey, BlobStore } from '../ports/media/blob-store.ts'
import type { DirectUploadRecord } from '../ports/media/direct-upload-record.ts'
import type { MediaFacts } from '../ports/media/media-record.ts'
import type { MediaStore } from '../ports/media/media-store.ts'
import { BlobMeasure } from './receive-blob.ts'
import { PlaceCheck, type TraceLookup } from '../ports/media/trace-lookup.ts'

export interface StagedUploadsDependencies extends AttachDependencies {
  readonly blobs: Pick<BlobStore, 'size' | 'promote' | 'read' | 'remove'>
  readonly media: Pick<
    MediaStore,
    'attach' | 'find' | 'findAnnounced' | 'findStaged' | 'listStaged' | 'setFinalKey' | 'releaseFinalKey'
  >
  readonly traces: TraceLookup
  readonly clock: Clock
  readonly newKey: (projectId: ProjectId) => BlobKey
  readonly onRefused: (upload: DirectUploadRecord, reason: string) => void
}

/** Announced uploads checked in one round; each costs a request to the store. */
const ROUND = 50

/**
 * Takes in what clients put into the store themselves. The object first gets a key that no client knows, so that it can
 * no longer be changed, and is hashed there; only then does it count. An object that does not match the announcement is
 * removed; the client may upload it again until its URL expires.
 *
 * The final key is recorded before the object gets it, so a later round continues a round that is interrupted anywhere.
 */
export class StagedUploads {
  readonly #dependencies: StagedUploadsDependencies
  readonly #underWay = new Map<AttachmentId, Promise<void>>()
  /** Where the next round continues. */
  #after: AttachmentId | null = null

  constructor(dependencies: StagedUploadsDependencies) {
    this.#dependencies = dependencies
  }

  /** One round over announced uploads. A failure with one is reported, and that one waits for a later round. */
  async round(): Promise<void> {
    const uploads = await this.#dependencies.media.listStaged(this.#after, ROUND)
    this.#after = uploads.length < ROUND ? null : (uploads.at(-1)?.id ?? null)
    for (const upload of uploads) {
      try {
        await this.takeInOne(upload.id)
      } catch (error) {
        this.#dependencies.onError(error, 'a direct upload could not be taken in yet')
      }
    }
  }

  /** Accepts the uploads of these bytes now. */
  async takeInBytes(projectId: ProjectId, sha256: string): Promise<void> {
    for (const upload of await this.#dependencies.media.findStaged(projectId, sha256)) await this.takeInOne(upload.id)
  }

  /**
   * Takes in this one, now. Resolves once the upload is accepted or rejected. One at a time for each upload: a second
   * caller waits for the first.
   */
  takeInOne(id: AttachmentId): Promise<void> {
    const known = this.#underWay.get(id)
    if (known !== undefined) return known
    const running = this.#run(id).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, running)
    return running
  }

  async #run(id: AttachmentId): Promise<void> {
    const { blobs, media, onRefused } = this.#dependencies
    // Looked up here and not taken from a list: meanwhile this one may have been accepted too, or its final key
    // abandoned.
    const upload = await media.findAnnounced(id)
    if (upload === null || upload.taken || upload.stagingKey === null) return
    const { stagingKey } = upload
    const stagedBytes = await blobs.size(stagingKey)
    if (stagedBytes !== null && stagedBytes !== upload.sizeBytes) {
      await blobs.remove(stagingKey)
      onRefused(upload, `${stagedBytes} bytes arrived`)
      return
    }
    const finalKey = upload.finalKey ?? (stagedBytes === null ? null : await this.#beginFinal(upload))
    if (finalKey === null) return
    // Otherwise an interrupted round promoted it.
    if (stagedBytes !== null) await this.#promote(stagingKey, finalKey)
    const refusal = await this.#judge(upload, finalKey)
    if (refusal === null) return
    await media.releaseFinalKey(id, finalKey)
    onRefused(upload, refusal)
  }

  /**
   * If the object has vanished meanwhile (a bucket rule, an operator), that is no failure: the final key has no object
   * either.
   */
  async #promote(stagingKey: BlobKey, finalKey: BlobKey): Promise<void> {
    const { blobs } = this.#dependencies
    try {
      await blobs.promote(stagingKey, finalKey)
    } catch (error) {
      const left = [await blobs.size(stagingKey), await blobs.size(finalKey)]
      if (left.some((sizeBytes) => sizeBytes !== null)) throw error
    }
  }

  /** Null if the upload was withdrawn meanwhile: then no object may get a key that is not recorded. */
  async #beginFinal(upload: DirectUploadRecord): Promise<BlobKey | null> {
    const key = this.#dependencies.newKey(upload.projectId)
    return (await this.#dependencies.media.setFinalKey(upload.id, key)) ? key : null
  }

  /** Null when the object counts now, else the reason. */
  async #judge(upload: DirectUploadRecord, key: BlobKey): Promise<string | null> {
    const facts = await this.#measure(key)
    if (facts === null) return 'the object is gone'
    const mismatch = findMismatch(upload, facts)
    if (mismatch !== null) return mismatch
    const { id, projectId, traceId, stepId, kind, filename, contentType } = upload
    const { clock, traces } = this.#dependencies
    try {
      await new PlaceCheck(traces, clock).require({ projectId, traceId, stepId })
      const fields = { id, projectId, traceId, stepId, kind, filename, claimedType: contentType, facts, key }
      await attachReceived(this.#dependencies, { ...fields, createdAt: clock.now(), directUpload: id })
      return null
    } catch (error) {
      if (error instanceof DomainError && LASTING.has(error.code)) return error.message
      throw error
    }
  }

  async #measure(key: BlobKey): Promise<MediaFacts | null> {
    const stream = await this.#dependencies.blobs.read(key, null)
    if (stream === null) return null
    const measure = new BlobMeasure()
    const passed = measure.pass(stream as AsyncIterable<Buffer>, null)
    // Read to be measured.
    for await (const chunk of passed) freePassing(chunk)
    return measure.facts()
  }
}

/** Refusals that a retry would meet again. */
const LASTING: ReadonlySet<string> = new Set(['not_found', 'validation_failed', 'upload_url_used'])
