import { join } from 'node:path'
import type { IdGenerator } from '../lib/ids.ts'
import { systemRandomBytes } from '../lib/random.ts'
import { systemTimers } from '../lib/timers.ts'
import { newBlobKey } from '../media/blob-key.ts'
import type { BlobStore } from '../media/blob-store.ts'
import { createMediaService, type MediaService } from '../media/media-service.ts'
import type { TraceLookup } from '../media/trace-lookup.ts'
import type { DiskGuard } from '../operation/disk-guard.ts'
import { openFolderBlobStore } from '../storage/blobs/folder-blob-store.ts'
import { openS3BlobStore } from '../storage/blobs/s3-blob-store.ts'
import type { ControlStore } from '../storage/control/open-control-store.ts'
import { openSigningKey } from '../storage/signing-key.ts'
import type { Environment } from './environment.ts'

interface MediaParts {
  readonly control: ControlStore
  readonly traces: TraceLookup
  readonly ids: IdGenerator
  readonly guard: DiskGuard
}

export interface StartedMedia {
  readonly media: MediaService
  /** Lets go of connections. */
  closeBlobs(): void
}

/** Media, with what a crash left behind cleaned away. */
export async function startMedia(
  environment: Environment,
  { control, traces, ids, guard }: MediaParts,
): Promise<StartedMedia> {
  const { config, dataDir, clock, logger } = environment
  const { blobs, close } = await openBlobStore(environment)
  const media = createMediaService({
    blobs,
    media: control.media,
    traces,
    clock,
    newId: () => ids.newId('med'),
    newKey: (projectId) => newBlobKey(projectId, systemRandomBytes),
    limits: config.limits,
    signingKey: openSigningKey(dataDir, systemRandomBytes),
    // What goes into a bucket passes the disk in parts.
    intakeBlock: (announcedBytes) => guard.refusal(config.s3 === null ? announcedBytes : 0),
    onError: (error, message) => logger.error({ error }, message),
    onRefusedUpload: (details) => logger.warn(details, 'a direct upload was refused'),
  })
  await media.recover()
  return { media, closeBlobs: close }
}

interface OpenBlobStore {
  readonly blobs: BlobStore
  /** Lets go of connections. */
  close(): void
}

/** In a bucket when one is configured, else in the data directory, like everything else. */
async function openBlobStore({ config, dataDir, clock, logger }: Environment): Promise<OpenBlobStore> {
  if (config.s3 === null) return { blobs: await openFolderBlobStore(join(dataDir, 'media')), close: () => undefined }
  const blobs = await openS3BlobStore({
    settings: config.s3,
    spoolFolder: join(dataDir, 'media-spool'),
    clock,
    timers: systemTimers,
    onLeftover: (error, key) =>
      logger.error({ error, key }, 'what a failed upload left in the bucket is removed later'),
  })
  return { blobs, close: () => blobs.close() }
}
