import type { ProjectId } from '@spoor/contract/ids'
import type { MediaPlace } from '../../ports/log/log.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'

/** What parsing needs to know of media. */
export interface LinkableMedia {
  /** Whether the project has these bytes. */
  has(projectId: ProjectId, sha256: string): boolean
}

/** The media that steps link to. */
export function linkedMedia(projectId: ProjectId, steps: readonly Pick<PreparedStep, 'attachments'>[]): MediaPlace[] {
  return steps.flatMap(({ attachments }) => attachments.map((sha256) => ({ projectId, sha256 })))
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
