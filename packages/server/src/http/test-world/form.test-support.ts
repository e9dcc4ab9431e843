/** For tests: a part of a form on the wire. */
export interface TestPart {
  readonly name?: string
  readonly filename?: string
  readonly type?: string
  readonly content: string | Buffer
  /** Replaces the headers built from the fields above; without the blank line. */
  readonly head?: string
}

export const BOUNDARY = 'spoor-test-boundary'
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** For tests: the body of a form with these parts in order. */
export function formBody(parts: readonly TestPart[]): Buffer {
  const chunks = parts.flatMap(({ content, ...part }) => [
    Buffer.from(`--${BOUNDARY}\r\n${headOf(part)}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

function headOf({ name, filename, type, head }: Omit<TestPart, 'content'>): string {
  if (head !== undefined) return head
  const file = filename === undefined ? '' : `; filename="${filename}"`
  const disposition = `Content-Disposition: form-data; name="${name}"${file}`
  return type === undefined ? disposition : `${disposition}\r\nContent-Type: ${type}`
}
