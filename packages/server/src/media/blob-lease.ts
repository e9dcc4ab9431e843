import type { ProjectId } from '@spoor/contract/ids'
import type { BlobKey, BlobStore } from '../ports/media/blob-store.ts'
import type { MediaStore } from '../ports/media/media-store.ts'

export interface BlobLeasesDependencies {
  readonly blobs: Pick<BlobStore, 'remove'>
  readonly media: Pick<MediaStore, 'beginBlob' | 'condemnBlob' | 'condemnedBlobs' | 'forgetBlob'>
  readonly newKey: (projectId: ProjectId) => BlobKey
  readonly onError: (error: unknown, message: string) => void
}

/** Keys removed in one go. */
const SWEEP_BATCH = 500
const MOST_FAILURES = 3

/** Gives out keys for bytes that are about to be written, and sees to it that what did not come into use is removed, now or later. */
export class BlobLeases {
  readonly #dependencies: BlobLeasesDependencies
  /** Given up while the control store could not be told: nobody knows yet whether they are to be removed. */
  readonly #unsettled = new Set<BlobKey>()
  /** Where the next sweep goes on: what cannot be removed must not keep it from what can. */
  #after: BlobKey | null = null

  constructor(dependencies: BlobLeasesDependencies) {
    this.#dependencies = dependencies
  }

  /** Noted durably when it resolves: whatever happens from here on, what is written under the key is found again. */
  async begin(projectId: ProjectId): Promise<BlobKey> {
    const key = this.#dependencies.newKey(projectId)
    await this.#dependencies.media.beginBlob(key)
    return key
  }

  /**
   * What was written under the key does not count. A failed attach may have been made nevertheless (an error of the disk while it was flushed): the control store is
   * asked first, and bytes in use are left alone. Never throws: what cannot be done now is done later.
   */
  async giveUp(key: BlobKey): Promise<void> {
    this.#unsettled.add(key)
    try {
      const condemned = await this.#dependencies.media.condemnBlob(key)
      this.#unsettled.delete(key)
      if (condemned) await this.#remove(key)
    } catch (error) {
      this.#dependencies.onError(error, 'bytes that do not count could not be removed yet')
    }
  }

  /** For a key that waits for removal already. Never throws. */
  async dispose(key: BlobKey): Promise<void> {
    try {
      await this.#remove(key)
    } catch (error) {
      this.#dependencies.onError(error, 'bytes that do not count could not be removed yet')
    }
  }

  /** Removes what waits for it, a bounded number, going round. Goes on past a key that cannot be removed, and throws the first such error at the end. */
  async sweep(): Promise<void> {
    for (const key of this.#unsettled) {
      await this.#dependencies.media.condemnBlob(key)
      this.#unsettled.delete(key)
    }
    const failures: unknown[] = []
    const keys = await this.#dependencies.media.condemnedBlobs(this.#after, SWEEP_BATCH)
    this.#after = keys.length < SWEEP_BATCH ? null : (keys.at(-1) ?? null)
    for (const key of keys) {
      try {
        await this.#remove(key)
      } catch (error) {
        failures.push(error)
        // A store that is gone is not asked five hundred times.
        if (failures.length < MOST_FAILURES) continue
        this.#after = key
        break
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  async #remove(key: BlobKey): Promise<void> {
    await this.#dependencies.blobs.remove(key)
    await this.#dependencies.media.forgetBlob(key)
  }
}
