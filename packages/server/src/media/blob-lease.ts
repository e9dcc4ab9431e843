import type { ProjectId } from '@spoor/contract/ids'
import type { BlobKey, BlobStore } from '../ports/media/blob-store.ts'
import type { MediaStore, UploadLease } from '../ports/media/media-store.ts'

export interface BlobLeasesDependencies {
  readonly blobs: Pick<BlobStore, 'remove'>
  readonly media: Pick<
    MediaStore,
    | 'beginBlob'
    | 'renewBlobs'
    | 'condemnBlob'
    | 'condemnAbandoned'
    | 'forgetAbandoned'
    | 'condemnedBlobs'
    | 'forgetBlob'
  >
  /** Of this process, the same after every start. Of no other process on the same store that is alive. */
  readonly owner: string
  readonly newKey: (projectId: ProjectId) => BlobKey
  readonly onError: (error: unknown, message: string) => void
}

/** Renewed several times in it: who misses them all is taken for dead. */
const LEASE_MS = 15_000
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
    await this.#dependencies.media.beginBlob(key, this.#lease)
    return key
  }

  /** To be called more often than each 5 s: what is under way here goes on counting as such. */
  async renew(): Promise<void> {
    await this.#dependencies.media.renewBlobs(this.#lease)
  }

  /**
   * What the process that had this name before left under way waits for removal. `keep`: it stays, for nobody. To be called
   * before anything is begun.
   */
  async recover({ keep }: { readonly keep: boolean }): Promise<void> {
    const { media, owner } = this.#dependencies
    if (keep) await media.forgetAbandoned(owner)
    else await media.condemnAbandoned(owner)
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

  /** Removes what waits for it and what processes that died left under way, a bounded number, going round. Goes on past a key that cannot be removed, and throws the first such error at the end. */
  async sweep(): Promise<void> {
    for (const key of this.#unsettled) {
      await this.#dependencies.media.condemnBlob(key)
      this.#unsettled.delete(key)
    }
    // In this order: after a pause of this process its own leases may have ended, too.
    await this.renew()
    await this.#dependencies.media.condemnAbandoned(null)
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

  get #lease(): UploadLease {
    return { owner: this.#dependencies.owner, durationMs: LEASE_MS }
  }

  async #remove(key: BlobKey): Promise<void> {
    await this.#dependencies.blobs.remove(key)
    await this.#dependencies.media.forgetBlob(key)
  }
}
