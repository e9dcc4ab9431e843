/**
 * A `Content-Disposition` header (RFC 6266): the name in ASCII for old clients and, when that is not all of it, in UTF-8 by RFC 8187. Only characters that mean nothing in a header
 * get into either, whatever the name holds.
 */
export function contentDisposition(type: 'inline' | 'attachment', filename: string | null): string {
  if (filename === null) return type
  // A percent sign too: some clients unescape the plain form.
  const ascii = filename.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const plain = `${type}; filename="${ascii}"`
  return ascii === filename ? plain : `${plain}; filename*=UTF-8''${encodeExtended(filename)}`
}

/** `attr-char` of RFC 8187 stays, everything else is escaped. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
