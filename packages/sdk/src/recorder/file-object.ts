/**
 * Base64 in an object that names its type. The service makes media of it, in the same commit as the step, so that a
 * request that is sent again stores nothing twice.
 */
export function fileObject(file: { bytes: Uint8Array | ArrayBuffer; contentType: string; filename?: string }): object {
  const bytes = file.bytes instanceof Uint8Array ? file.bytes : new Uint8Array(file.bytes)
  return {
    type: 'file',
    media_type: file.contentType || 'application/octet-stream',
    filename: file.filename,
    data: base64(bytes),
  }
}

/** Characters of one call: more arguments overflow the stack. */
const PIECE = 0x8000

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(text)
}
