import type { ServedMedia } from '../../media/use-cases.ts'
import { contentDisposition } from './content-disposition.ts'

/** Whatever the bytes are, a browser that opens them loads, runs and sends nothing. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; form-action 'none'; sandbox"

/** The bytes of a uri never change, so their hash is the entity tag. */
export function entityTag({ sha256 }: Pick<ServedMedia, 'sha256'>): string {
  return `"${sha256}"`
}

/** Every header of served media except for length and range. */
export function mediaHeaders(media: ServedMedia): Record<string, string> {
  return {
    etag: entityTag(media),
    'accept-ranges': 'bytes',
    'cache-control': 'private, immutable',
    'content-type': media.contentType === 'text/plain' ? 'text/plain; charset=utf-8' : media.contentType,
    'content-disposition': contentDisposition(media.inline ? 'inline' : 'attachment', media.filename),
    'x-content-type-options': 'nosniff',
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'cross-origin-resource-policy': 'same-site',
    'referrer-policy': 'no-referrer',
  }
}
