import type { IdGenerator } from '../../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../../lib/ids/random.ts'
import { newBlobKey } from '../../../ports/media/blob-key.ts'
import { createMediaService, type MediaService } from '../../../media/media-service.ts'
import type { TraceLookup } from '../../../ports/media/trace-lookup.ts'
import type { DiskGuard } from '../../../operation/disk-guard.ts'
import type { ControlStore } from '../../../storage/sql/open-control-store.ts'
import { openSigningKey } from '../../../storage/signing-key.ts'
import type { Parts } from '../../parts.ts'
import type { Environment } from '../environment.ts'
import { openBlobStore } from '../open-blob-store.ts'

interface MediaParts {
  readonly control: ControlStore
  readonly traces: TraceLookup
  readonly ids: IdGenerator
  readonly guard: DiskGuard
  /** The control store has lost its last changes: uploads that look unfinished may have been acknowledged. */
  readonly journalLostChanges: boolean
}

/** Media; what a crash left behind is removed. */
export async function startMedia(
  environment: Environment,
  parts: Parts,
  { control, traces, ids, guard, journalLostChanges }: MediaParts,
): Promise<MediaService> {
  const { config, dataDir, clock, logger } = environment
  const { blobs } = await parts.start(
    'blobs',
    () => openBlobStore(environment),
    ({ close }) => close(),
  )
  const media = createMediaService({
    blobs,
    media: control.media,
    traces,
    clock,
    newId: () => ids.newId('med'),
    owner: 'embedded',
    newKey: (projectId) => newBlobKey(projectId, systemRandomBytes),
    limits: config.limits,
    signingKey: openSigningKey(dataDir, systemRandomBytes),
    // Parts for a bucket are spooled on the disk.
    intakeBlock: (announcedBytes) => guard.refusal(config.s3 === null ? announcedBytes : 0),
    onError: (error, message) => logger.error({ error }, message),
    onRefusedUpload: (details) => logger.warn(details, 'a direct upload was refused'),
  })
  await media.recover({ keepPending: journalLostChanges })
  return media
}
