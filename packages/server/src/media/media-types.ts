/** Names of one and the same type, by the name that is stored. */
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

/** Types whose bytes cannot tell what is claimed of them: they are in the same container. */
const CONTAINERS: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'audio/webm': 'video/webm',
  'audio/mp4': 'video/mp4',
  'video/ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
}

/** Text that is shown as plain text, whatever it holds. */
const SHOWN_AS_TEXT = /^(text\/(?!html$|xml$|javascript$)|application\/(json|x-ndjson|jsonl|yaml|x-yaml|toml)$)/

/**
 * What honest text can be taken for: text that is not UTF-8 or has control characters for nothing known, and a log that begins with `<module>` for
 * markup. None of it is shown inline.
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

/** What browsers show without running anything in it. */
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

/** Without parameters, in lower case, by the name that is stored. */
export function normalType(type: string): string {
  const [essence = ''] = type.toLowerCase().split(';')
  const name = essence.trim()
  return ALIASES[name] ?? name
}

/** Whether what a client claims of bytes is what was found in them. */
export function typesAgree(claimed: string, found: string): boolean {
  const claim = normalType(claimed)
  if (found === 'text/plain') return SHOWN_AS_TEXT.test(claim)
  return inContainer(claim) === inContainer(found)
}

function inContainer(type: string): string {
  return CONTAINERS[type] ?? type
}

/** Whether a browser may show it in its window; else it is only given to be saved. */
export function isShownInline(found: string, claimed: string | null): boolean {
  return claimed !== null && INLINE.has(found) && typesAgree(claimed, found)
}

/** Whether the claim is of a type that is always recognised in its bytes, and they are of another; text is not, so only a type that is no text contradicts it. */
export function isContradicted(claimed: string, found: string): boolean {
  const claim = normalType(claimed)
  if (claim === 'text/plain' && TEXT_TAKEN_FOR.has(found)) return false
  return INLINE.has(claim) && !typesAgree(claim, found)
}
