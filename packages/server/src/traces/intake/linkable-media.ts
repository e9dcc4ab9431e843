import type { ProjectId } from '@spoor/contract/ids'
import type { MediaContentKey } from '../../ports/log/log.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'

/** What parsing needs to know about media. */
export interface LinkableMedia {
  /** Those of these hashes that the project has stored. */
  existing(projectId: ProjectId, sha256s: readonly string[]): Promise<ReadonlySet<string>>
}

/** The media that steps link to. */
export function linkedMedia(
  projectId: ProjectId,
  steps: readonly Pick<PreparedStep, 'attachments'>[],
): MediaContentKey[] {
  return steps.flatMap(({ attachments }) => attachments.map((sha256) => ({ projectId, sha256 })))
}

/**
 * Maps the uri of linkable media to its SHA-256. Null for unknown media, media of another project, and anything that is
 * not a media uri.
 */
export type FindMedia = (uri: string) => string | null

export const NO_MEDIA: FindMedia = () => null

/** Assumes that all media named by uris of the project exist; the commit checks it. */
export function assumedMedia(projectId: ProjectId): FindMedia {
  return (uri) => sha256Of(projectId, uri)
}

/** Those of these uris, all of one project, whose media the project does not have. */
export type MissingMedia = (uris: readonly string[]) => Promise<ReadonlySet<string>>

/** For bodies whose links were checked before. */
export const NONE_MISSING: MissingMedia = async () => new Set()

export function missingMediaOf(media: LinkableMedia, projectId: ProjectId): MissingMedia {
  return async (uris) => {
    const hashes = new Map(uris.map((uri) => [uri, sha256Of(projectId, uri) ?? '']))
    const existing = await media.existing(projectId, [...hashes.values()])
    return new Set(uris.filter((uri) => !existing.has(hashes.get(uri) ?? '')))
  }
}

/**
 * The result or error of `parse`, with media links checked. Parsing is synchronous, so it first assumes that all media
 * exist, then looks all of them up at once, and parses again only if some are missing.
 */
export async function parseLinked<T>(
  projectId: ProjectId,
  missing: MissingMedia,
  parse: (findMedia: FindMedia) => T | Promise<T>,
): Promise<T> {
  const named = new Set<string>()
  let absent: ReadonlySet<string> = new Set()
  const findMedia: FindMedia = (uri) => {
    const sha256 = sha256Of(projectId, uri)
    if (sha256 !== null) named.add(uri)
    return absent.has(uri) ? null : sha256
  }
  const outcome = await attempt(() => parse(findMedia))
  if (named.size > 0) {
    absent = await missing([...named])
    if (absent.size > 0) return parse(findMedia)
  }
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

/**
 * Whether a line may name media, so that `parseLinked` is needed. A link that is hidden by an escape is checked by the
 * commit alone.
 */
export function mayLinkMedia(bytes: Buffer): boolean {
  return bytes.includes('media://', 0, 'latin1')
}

async function attempt<T>(work: () => T | Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await work() }
  } catch (error) {
    return { error }
  }
}

const SHA256 = /^[0-9a-f]{64}$/

/** Null when the uri names no media of the project. */
function sha256Of(projectId: ProjectId, uri: string): string | null {
  const start = `media://${projectId}/`
  const sha256 = uri.slice(start.length)
  return uri.startsWith(start) && SHA256.test(sha256) ? sha256 : null
}
