/** A whole HTTP/1.1 request as bytes, prepared before time is measured. */
export function httpRequest(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  key: string,
  body?: { readonly type: string; readonly bytes: Buffer },
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const fields: Record<string, string> = { host: '127.0.0.1', 'x-api-key': key, ...headers }
  if (body !== undefined) {
    fields['content-type'] = body.type
    fields['content-length'] = String(body.bytes.length)
  }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n`),
    body?.bytes ?? Buffer.alloc(0),
  ])
}
