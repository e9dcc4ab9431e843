import type { AttachmentId, ProjectId, TraceId } from '@spoor/contract/ids'

/** What traces need to know of media. Synchronous: asked while a commit is put together. */
export interface LinkableMedia {
  /** Whether the project has these bytes. */
  has(projectId: ProjectId, sha256: string): boolean
  /** Attachments of a trace and its steps. */
  countOf(traceId: TraceId): number
}

/** What a commit needs to link media to its steps. */
export interface CommitLinks extends LinkableMedia {
  newId(): AttachmentId
  /** Attachments that a trace may have. */
  readonly mostForTrace: number
}

/** The SHA-256 of media that may be linked, by its uri; null when there is none: unknown, of another project, or no uri at all. */
export type FindMedia = (uri: string) => string | null

const SHA256 = /^[0-9a-f]{64}$/

export function findMediaOf(media: LinkableMedia, projectId: ProjectId): FindMedia {
  const start = `media://${projectId}/`
  return (uri) => {
    const sha256 = uri.slice(start.length)
    return uri.startsWith(start) && SHA256.test(sha256) && media.has(projectId, sha256) ? sha256 : null
  }
}

export const NO_MEDIA: FindMedia = () => null
/** Takes every uri for one that was checked before. */
export const CHECKED_MEDIA: FindMedia = (uri) => uri.slice(-64)

/** Of commits whose steps link nothing. */
export const NO_LINKS: CommitLinks = {
  has: () => false,
  countOf: () => 0,
  newId() {
    throw new Error('nothing can be linked here')
  },
  mostForTrace: 0,
}
