import { join } from 'node:path'
import { systemTimers } from '../../lib/time/timers.ts'
import type { BlobStore } from '../../ports/media/blob-store.ts'
import { openFolderBlobStore } from '../../storage/blobs/folder/folder-blob-store.ts'
import { readAuthorities } from '../../storage/authorities.ts'
import type { EmbeddedEnvironment } from './embedded-environment.ts'

interface OpenBlobStore {
  readonly blobs: BlobStore
  /** Closes connections. */
  close(): void
}

/** In a bucket if one is configured, else in the data directory, like everything else. */
export async function openBlobStore({
  config,
  dataDir,
  clock,
  logger,
}: Omit<EmbeddedEnvironment, 'version' | 'listedPrices'>): Promise<OpenBlobStore> {
  if (config.s3 === null) return { blobs: await openFolderBlobStore(join(dataDir, 'media')), close: () => undefined }
  // Its client takes a tenth of the time of a start, and few have a bucket.
  const { openS3BlobStore } = await import('../../storage/blobs/s3/s3-blob-store.ts')
  const blobs = await openS3BlobStore({
    settings: { ...config.s3, ca: readAuthorities(config.tlsCaFile) },
    spoolFolder: join(dataDir, 'media-spool'),
    clock,
    timers: systemTimers,
    onLeftover: (error, key) =>
      logger.error({ error, key }, 'what a failed upload left in the bucket will be removed later'),
  })
  return { blobs, close: () => blobs.close() }
}
