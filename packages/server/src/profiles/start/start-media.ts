import type { IdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { newBlobKey } from '../../ports/media/blob-key.ts'
import { createMediaService, type MediaService } from '../../media/media-service.ts'
import type { TraceLookup } from '../../ports/media/trace-lookup.ts'
import type { Environment } from './environment.ts'
import type { ServiceStores } from './service-stores.ts'

interface MediaParts extends Pick<
  ServiceStores,
  'control' | 'blobs' | 'uploadOwner' | 'signingKey' | 'keepPendingUploads' | 'disk'
> {
  readonly traces: TraceLookup
  readonly ids: IdGenerator
}

/** Media; remains of a crash are removed. */
export async function startMedia({ config, clock, logger }: Environment, parts: MediaParts): Promise<MediaService> {
  const { control, traces, ids, disk } = parts
  const media = createMediaService({
    blobs: parts.blobs,
    media: control.media,
    traces,
    clock,
    newId: () => ids.newId('med'),
    owner: parts.uploadOwner,
    newKey: (projectId) => newBlobKey(projectId, systemRandomBytes),
    limits: config.limits,
    signingKey: parts.signingKey,
    // Parts for a bucket are spooled on the disk.
    intakeBlock: (announcedBytes) => disk?.refusal(config.s3 === null ? announcedBytes : 0) ?? null,
    onError: (error, message) => logger.error({ error }, message),
    onRefusedUpload: (details) => logger.warn(details, 'a direct upload was refused'),
  })
  await media.recover({ keepPending: parts.keepPendingUploads })
  return media
}
