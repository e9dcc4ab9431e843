import { createHash, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Attachment } from '@spoor/contract/schemas/attachment'
import type { Answer, Call, Client } from '../client.ts'

export interface FormFile {
  readonly content: Buffer | string
  readonly type?: string
  readonly filename?: string
}

/** The call that uploads a file after these fields. */
export function uploadCall(fields: Readonly<Record<string, string>>, file: FormFile): Call {
  const boundary = `e2e-${randomUUID()}`
  const { content, type = 'text/plain', filename = 'a.log' } = file
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`
  return {
    method: 'POST',
    path: '/v1/media/upload',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([
      Buffer.from(parts.join('') + head),
      Buffer.from(content),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  }
}

export async function upload(
  client: Client,
  fields: Readonly<Record<string, string>>,
  file: FormFile,
): Promise<Attachment> {
  const answer = await client.call(uploadCall(fields, file))
  if (answer.status !== 201) throw new Error(`the upload was answered with ${answer.status}: ${answer.text}`)
  return answer.json<Attachment>()
}

export function servePath(uri: string): string {
  return `/v1/media/serve?uri=${encodeURIComponent(uri)}`
}

export function serve(client: Client, uri: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return client.get(servePath(uri), headers)
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** The query of a signed URL for these bytes. */
export function signedUrlPath(
  fields: Readonly<Record<string, string>>,
  content: Buffer | string,
  type = 'text/plain',
): string {
  const bound = { content_type: type, size_bytes: String(Buffer.byteLength(content)), sha256: sha256(content) }
  return `/v1/media/signed-url?${new URLSearchParams({ kind: 'file', ...bound, ...fields })}`
}

/** Files of the media folder, including temporary ones. */
export function mediaFiles(dataDir: string): string[] {
  const entries = readdirSync(join(dataDir, 'media'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}
