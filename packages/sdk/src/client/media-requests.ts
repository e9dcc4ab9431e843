import type { Attachment, MediaUpload, UploadTarget } from './generated/api-types.ts'
import { type Call, type Query, targetOf } from './call.ts'
import type { Connection } from './connection.ts'

export interface UploadOptions {
  /** The name to show; that of a `File` by default. */
  readonly filename?: string
}

export function mediaRequests(call: Call, connection: Connection) {
  return {
    /** Uploads a file. The same bytes are stored once in a project. */
    upload: async (upload: MediaUpload, { filename }: UploadOptions = {}): Promise<Attachment> => {
      const form = new FormData()
      const { file, ...fields } = upload
      for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value)
      form.append('file', file, filename ?? ('name' in file ? String(file.name) : 'file'))
      const response = await connection.send({ method: 'POST', target: '/v1/media/upload', body: form, streamed: true })
      return (await response.json()) as Attachment
    },
    /** The bytes of an artifact, as the body of a response. `range` is a header such as `bytes=0-1023`. */
    serve: (uri: string, options: { readonly range?: string; readonly signal?: AbortSignal } = {}): Promise<Response> =>
      connection.send({
        method: 'GET',
        target: targetOf('serveMedia', { query: { uri } }),
        ...(options.range !== undefined && { headers: { range: options.range } }),
        streamed: true,
        signal: options.signal,
      }),
    /** A URL to which bytes can be sent without a key, within 5 minutes. */
    signUpload: (query: Query<'signUpload'>) => call('signUpload', { query }),
    /** Sends bytes to a signed URL. */
    put: async ({ url, headers }: Pick<UploadTarget, 'url' | 'headers'>, bytes: Blob): Promise<Attachment> =>
      (await (await connection.put(url, headers as Record<string, string>, bytes)).json()) as Attachment,
  }
}
