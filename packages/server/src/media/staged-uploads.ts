import type { AttachmentId, ProjectId } from '@spoor/contract/ids'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { freePassing } from '../lib/work/passing-bytes.ts'
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

/** Announced uploads looked at in one round: each costs a request to the store. */
const ROUND = 50

/**
 * Takes in what clients put into the store themselves. The object first gets a key that no client knows, so that it cannot be changed any more, and is hashed there; only then does it
 * count. What is not as announced is removed; the client may put it again until its URL expires.
 *
 * The final key is written down before the object gets it: a round that is cut off anywhere is taken up by a later one.
 */
export class StagedUploads {
  readonly #dependencies: StagedUploadsDependencies
  readonly #underWay = new Map<AttachmentId, Promise<void>>()
  /** Where the next round goes on. */
  #after: AttachmentId | null = null

  constructor(dependencies: StagedUploadsDependencies) {
    this.#dependencies = dependencies
  }

  /** One round over announced uploads; a failure with one is reported and leaves it for later. */
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

  /** Those of these bytes, now. */
  async takeInBytes(projectId: ProjectId, sha256: string): Promise<void> {
    for (const upload of await this.#dependencies.media.findStaged(projectId, sha256)) await this.takeInOne(upload.id)
  }

  /**
   * This one, now: resolves when the store was asked and what it holds of the upload counts or is refused. One at a time for each upload: who comes second waits
   * for the first.
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
    // Looked up here and not taken from a list: while others of it were taken in, this one may have been too, or its final key given up.
    const upload = await media.findAnnounced(id)
    if (upload === null || upload.taken || upload.stagingKey === null) return
    const { stagingKey } = upload
    const stagedBytes = await blobs.size(stagingKey)
    if (stagedBytes !== null && stagedBytes !== upload.sizeBytes) {
      await blobs.remove(stagingKey)
      onRefused(upload, `${stagedBytes} bytes came`)
      return
    }
    const finalKey = upload.finalKey ?? (stagedBytes === null ? null : await this.#beginFinal(upload))
    if (finalKey === null) return
    // Else it was promoted by a round that was cut off.
    if (stagedBytes !== null) await this.#promote(stagingKey, finalKey)
    const refusal = await this.#judge(upload, finalKey)
    if (refusal === null) return
    await media.releaseFinalKey(id)
    onRefused(upload, refusal)
  }

  /** An object that vanished since it was looked at (a rule of the bucket, an operator) is no failure: there is none under the final key then either. */
  async #promote(stagingKey: BlobKey, finalKey: BlobKey): Promise<void> {
    const { blobs } = this.#dependencies
    try {
      await blobs.promote(stagingKey, finalKey)
    } catch (error) {
      const left = [await blobs.size(stagingKey), await blobs.size(finalKey)]
      if (left.some((sizeBytes) => sizeBytes !== null)) throw error
    }
  }

  /** Null when the upload was withdrawn meanwhile: then nothing may get a key that is written down nowhere. */
  async #beginFinal(upload: DirectUploadRecord): Promise<BlobKey | null> {
    const key = this.#dependencies.newKey(upload.projectId)
    return (await this.#dependencies.media.setFinalKey(upload.id, key)) ? key : null
  }

  /** Null when the object counts now, else why it does not. */
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

/** Refusals that a later try would meet again. */
const LASTING: ReadonlySet<string> = new Set(['not_found', 'validation_failed', 'upload_url_used'])
