import type { ProjectId } from '@spoor/contract/ids'
import type { BlobKey, BlobStore } from '../ports/media/blob-store.ts'
import type { MediaStore, UploadLease } from '../ports/media/media-store.ts'

export interface BlobLeasesDependencies {
  readonly blobs: Pick<BlobStore, 'remove'>
  readonly media: Pick<
    MediaStore,
    | 'beginBlob'
    | 'renewBlobs'
    | 'markForDeletion'
    | 'markAbandonedForDeletion'
    | 'forgetAbandoned'
    | 'blobsToDelete'
    | 'forgetBlob'
  >
  /** Name of this process, the same after every start. No other live process on the same store has it. */
  readonly owner: string
  readonly newKey: (projectId: ProjectId) => BlobKey
  readonly onError: (error: unknown, message: string) => void
}

/** Renewed several times within this time. A process that misses all renewals is considered dead. */
const LEASE_MS = 15_000
/** Keys removed in one round. */
const SWEEP_BATCH = 500
/** Keys removed at the same time: they share flushes of the disk, and do not wait for each answer of a bucket. */
const REMOVED_TOGETHER = 8
const MOST_FAILURES = 3

/** Assigns keys for bytes that are about to be written, and removes bytes that were never attached, now or later. */
export class BlobLeases {
  readonly #dependencies: BlobLeasesDependencies
  /** Given up while the control store could not be reached: whether they are to be removed is not known yet. */
  readonly #unsettled = new Set<BlobKey>()
  /** Uploads begun by this process, and whether one of them may be in progress. */
  #begun = 0
  #mayHaveAny = false
  /** Where the next sweep continues, so that a key that cannot be removed does not block others. */
  #after: BlobKey | null = null

  constructor(dependencies: BlobLeasesDependencies) {
    this.#dependencies = dependencies
  }

  /** The key is recorded durably when this resolves, so the bytes under it are found again after any failure. */
  async begin(projectId: ProjectId): Promise<BlobKey> {
    const key = this.#dependencies.newKey(projectId)
    this.#mayHaveAny = true
    await this.#dependencies.media.beginBlob(key, this.#lease)
    // Again, because a renewal may have found none meanwhile.
    this.#begun++
    this.#mayHaveAny = true
    return key
  }

  /** Renews the leases of uploads in progress. Call it at least every 5 s, a third of LEASE_MS. */
  async renew(): Promise<void> {
    if (!this.#mayHaveAny) return
    const begun = this.#begun
    const hasAny = await this.#dependencies.media.renewBlobs(this.#lease)
    if (!hasAny && begun === this.#begun) this.#mayHaveAny = false
  }

  /**
   * Marks for deletion what an earlier process of this name left in progress. `keep`: it stays, unused. Call it before
   * any upload begins.
   */
  async recover({ keep }: { readonly keep: boolean }): Promise<void> {
    const { media, owner } = this.#dependencies
    if (keep) await media.forgetAbandoned(owner)
    else await media.markAbandonedForDeletion(owner)
  }

  /**
   * Discards the bytes under the key. A failed attach may have been committed nevertheless (a disk error while it was
   * flushed), so the control store is queried first, and bytes in use are left alone. Never throws: a failed deletion
   * is repeated later.
   */
  async giveUp(key: BlobKey): Promise<void> {
    this.#unsettled.add(key)
    try {
      const isMarked = await this.#dependencies.media.markForDeletion(key)
      this.#unsettled.delete(key)
      if (isMarked) await this.#remove(key)
    } catch (error) {
      this.#dependencies.onError(error, 'unused bytes could not be removed yet')
    }
  }

  /** For a key that is already marked for deletion. Never throws. */
  async dispose(key: BlobKey): Promise<void> {
    try {
      await this.#remove(key)
    } catch (error) {
      this.#dependencies.onError(error, 'unused bytes could not be removed yet')
    }
  }

  /**
   * Removes a bounded number of marked keys and of what dead processes left in progress, round robin. Continues after a
   * key that cannot be removed, ends with the group of the third, and throws the first error then. Resolves with
   * whether there are more.
   */
  async sweep(): Promise<boolean> {
    for (const key of this.#unsettled) {
      await this.#dependencies.media.markForDeletion(key)
      this.#unsettled.delete(key)
    }
    // Once in a pass through all keys, because it reads them all.
    if (this.#after === null) {
      // In this order: after a suspension of this process its own leases may have ended, too.
      await this.renew()
      await this.#dependencies.media.markAbandonedForDeletion(null)
    }
    const failures: unknown[] = []
    const keys = await this.#dependencies.media.blobsToDelete(this.#after, SWEEP_BATCH)
    this.#after = keys.length < SWEEP_BATCH ? null : (keys.at(-1) ?? null)
    for (let at = 0; at < keys.length; at += REMOVED_TOGETHER) {
      const together = keys.slice(at, at + REMOVED_TOGETHER)
      const outcomes = await Promise.allSettled(together.map((key) => this.#remove(key)))
      for (const outcome of outcomes) if (outcome.status === 'rejected') failures.push(outcome.reason)
      // If the store is unreachable, it is not tried five hundred times.
      if (failures.length < MOST_FAILURES) continue
      this.#after = together.at(-1) ?? null
      break
    }
    if (failures.length > 0) throw failures[0]
    return this.#after !== null
  }

  get #lease(): UploadLease {
    return { owner: this.#dependencies.owner, durationMs: LEASE_MS }
  }

  async #remove(key: BlobKey): Promise<void> {
    await this.#dependencies.blobs.remove(key)
    await this.#dependencies.media.forgetBlob(key)
  }
}
