import type { ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../lib/domain-error.ts'
import type { BlobStore } from '../ports/media/blob-store.ts'
import type { MediaStore } from '../ports/media/media-store.ts'
import { isShownInline } from './media-types.ts'
import { parseMediaUri } from '../ports/media/media-uri.ts'
import type { ServedMedia } from './use-cases.ts'

export interface OpenMediaDependencies {
  readonly blobs: Pick<BlobStore, 'read'>
  readonly media: Pick<MediaStore, 'find'>
  /** Takes in a direct upload of these bytes, if there is one: the first read may come before the next round. */
  readonly takeIn: (projectId: ProjectId, sha256: string) => Promise<void>
}

export async function openMedia(
  { blobs, media, takeIn }: OpenMediaDependencies,
  projectId: ProjectId,
  uri: string,
): Promise<ServedMedia> {
  const name = parseMediaUri(uri)
  if (name === null || name.projectId !== projectId) throw notFound()
  let found = await media.find(projectId, name.sha256)
  if (found === null) {
    await takeIn(projectId, name.sha256)
    found = await media.find(projectId, name.sha256)
  }
  if (found === null) throw notFound()
  const { key, claimedType, projectId: _, ...served } = found
  return {
    ...served,
    inline: isShownInline(found.contentType, claimedType),
    async read(range) {
      // Always by the recorded length: a truncated object must not pass for a whole one.
      const everything = found.sizeBytes === 0 ? null : { start: 0, end: found.sizeBytes - 1 }
      const bytes = await blobs.read(key, range ?? everything).catch(refuseShortened)
      // Its trace was deleted since, or the store has lost it.
      if (bytes === null) throw notFound()
      return bytes
    },
  }
}

function refuseShortened(error: unknown): never {
  if (!(error instanceof RangeError)) throw error
  throw new DomainError('storage_unavailable', 'The store does not have all bytes of this artifact.', { cause: error })
}

function notFound(): DomainError {
  return new DomainError('not_found', 'There is no such media in this project.')
}
