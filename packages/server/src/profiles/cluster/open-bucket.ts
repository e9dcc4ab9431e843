import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Config } from '../../config/s3-config.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { BlobStore } from '../../ports/media/blob-store.ts'
import { openS3BlobStore } from '../../storage/blobs/s3/s3-blob-store.ts'
import type { Environment } from '../start/environment.ts'

/** Media in a bucket. Parts of uploads wait in a folder for temporary files, of this process alone. */
export async function openBucket(
  { clock, logger }: Pick<Environment, 'clock' | 'logger'>,
  settings: S3Config,
  ca: readonly string[] | null,
): Promise<{ readonly blobs: BlobStore; close(): void }> {
  const spoolFolder = mkdtempSync(join(tmpdir(), 'spoor-media-'))
  const removeSpool = () => rmSync(spoolFolder, { recursive: true, force: true })
  try {
    const blobs = await openS3BlobStore({
      settings: { ...settings, ca },
      spoolFolder,
      clock,
      timers: systemTimers,
      onLeftover: (error, key) =>
        logger.error({ error, key }, 'what a failed upload left in the bucket will be removed later'),
    })
    return {
      blobs,
      close() {
        blobs.close()
        removeSpool()
      },
    }
  } catch (error) {
    removeSpool()
    throw error
  }
}
