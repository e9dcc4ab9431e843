/** Names of the same type, by the stored name. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/x-bmp': 'image/bmp',
  'image/x-ms-bmp': 'image/bmp',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/x-mpeg': 'audio/mpeg',
  'audio/x-flac': 'audio/flac',
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/x-aac': 'audio/aac',
  'audio/opus': 'audio/ogg',
  'video/x-matroska': 'video/matroska',
  'video/x-m4v': 'video/mp4',
}

/** Types that the bytes do not distinguish, because they use the same container. */
const CONTAINERS: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'audio/webm': 'video/webm',
  'audio/mp4': 'video/mp4',
  'video/ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
}

/** Text that is shown as plain text, whatever its content. */
const SHOWN_AS_TEXT = /^(text\/(?!html$|xml$|javascript$)|application\/(json|x-ndjson|jsonl|yaml|x-yaml|toml)$)/

/**
 * What valid text can be detected as: as unknown, if it is not UTF-8 or has control characters; as markup, if it is a
 * log that begins with `<module>`. None of it is shown inline.
 */
const TEXT_TAKEN_FOR = new Set([
  'application/octet-stream',
  'application/postscript',
  'application/rtf',
  'application/xml',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/html',
])

/** Types that browsers show without running anything in them. */
const INLINE = new Set([
  'image/png',
  'image/apng',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'audio/mpeg',
  'audio/wav',
  'audio/ogg',
  'audio/flac',
  'audio/mp4',
  'audio/aac',
  'audio/webm',
  'video/mp4',
  'video/webm',
  'video/ogg',
  'text/plain',
])

/** Without parameters, in lower case, by the stored name. */
export function normalType(type: string): string {
  const [essence = ''] = type.toLowerCase().split(';')
  const name = essence.trim()
  return ALIASES[name] ?? name
}

/** Whether the client's claim matches the detected type. */
export function typesAgree(claimed: string, found: string): boolean {
  const claim = normalType(claimed)
  if (found === 'text/plain') return SHOWN_AS_TEXT.test(claim)
  return inContainer(claim) === inContainer(found)
}

function inContainer(type: string): string {
  return CONTAINERS[type] ?? type
}

/** Whether a browser may show it inline; else it is served as a download. */
export function isShownInline(found: string, claimed: string | null): boolean {
  return claimed !== null && INLINE.has(found) && typesAgree(claimed, found)
}

/**
 * Whether the claimed type is one that is always recognised in its bytes, and the bytes are of another. Text is not
 * always recognised, so only a type that is not text contradicts it.
 */
export function isContradicted(claimed: string, found: string): boolean {
  const claim = normalType(claimed)
  if (claim === 'text/plain' && TEXT_TAKEN_FOR.has(found)) return false
  return INLINE.has(claim) && !typesAgree(claim, found)
}
