import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Account } from '../../lib/net/s3-account.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { BlobStore } from '../../ports/media/blob-store.ts'
import { type BucketState, compareBucket, readTimeline, writeTimeline } from '../../storage/blobs/bucket-timeline.ts'
import { S3BlobStore } from '../../storage/blobs/s3/s3-blob-store.ts'
import { isPassing } from '../../storage/blobs/s3/s3-error.ts'
import { refuse } from '../../storage/cluster/settling-record.ts'
import type { Environment } from '../start/environment.ts'

/** Between two checks of a bucket that is away. */
const CHECK_AGAIN_MS = 5000

export interface BucketOptions {
  readonly settings: S3Account
  readonly ca: readonly string[] | null
  /** Of PostgreSQL; null for no comparison. */
  readonly state: BucketState | null
  /** Of a node: a bucket without a timeline gets this one, and one that does not answer is checked when it does. */
  readonly isNode: boolean
}

/**
 * Media in a bucket. Parts of uploads wait in a folder for temporary files, of this process alone. Rejects with
 * OperatorError when the bucket cannot be used or has another timeline; if that is seen later, the process ends.
 */
export async function openBucket(
  { clock, logger }: Pick<Environment, 'clock' | 'logger'>,
  { settings, ca, state, isNode }: BucketOptions,
): Promise<{ readonly blobs: BlobStore; close(): void }> {
  const spoolFolder = mkdtempSync(join(tmpdir(), 'spoor-media-'))
  const blobs = new S3BlobStore({
    settings: { ...settings, ca },
    spoolFolder,
    clock,
    timers: systemTimers,
    onLeftover: (error, key) =>
      logger.error({ error, key }, 'what a failed upload left in the bucket will be removed later'),
  })
  const closing = new AbortController()
  const close = () => {
    closing.abort()
    blobs.close()
    rmSync(spoolFolder, { recursive: true, force: true })
  }
  const check = async () => {
    try {
      await blobs.open()
      if (state === null) return
      const found = await readTimeline(blobs)
      refuse(compareBucket(state, found))
      if (found === null && isNode) await writeTimeline(blobs, state.timeline)
    } catch (error) {
      const { cause } = error as Error
      const isAway =
        error instanceof DomainError || (error instanceof OperatorError && cause !== undefined && isPassing(cause))
      if (closing.signal.aborted) return
      if (!isAway || !isNode) throw error
      logger.warn({ error }, 'the bucket does not answer and will be checked when it does')
      const cancel = systemTimers.after(CHECK_AGAIN_MS, () => void check())
      closing.signal.addEventListener('abort', cancel, { once: true })
    }
  }
  try {
    await check()
    return { blobs, close }
  } catch (error) {
    close()
    throw error
  }
}
