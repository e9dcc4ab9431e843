/**
 * A `Content-Disposition` header (RFC 6266): the name in ASCII for old clients and, if it has other characters, also in
 * UTF-8 by RFC 8187. Characters with a meaning in headers are replaced or escaped.
 */
export function contentDisposition(type: 'inline' | 'attachment', filename: string | null): string {
  if (filename === null) return type
  // Percent signs too, because some clients decode the plain form.
  const ascii = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const plain = `${type}; filename="${ascii}"`
  return ascii === filename ? plain : `${plain}; filename*=UTF-8''${encodeExtended(filename)}`
}

/** Escapes everything but `attr-char` of RFC 8187. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
