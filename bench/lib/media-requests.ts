import type { Transfer } from './workers/transfer-process.ts'

export interface MediaPlace {
  readonly traceId: string
  readonly stepId: string
}

const BOUNDARY = 'spoor-bench-5d1f0a7c'

/** The bytes before and after the file in an upload. */
export function uploadParts(
  key: string,
  { traceId, stepId }: MediaPlace,
  fileBytes: number,
): { readonly head: Buffer; readonly tail: Buffer } {
  const fields = Object.entries({ trace_id: traceId, step_id: stepId, kind: 'sensor' }).map(
    ([name, value]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const form = Buffer.from(
    `${fields.join('')}--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="run.bin"\r\n` +
      'content-type: application/octet-stream\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
  const head = Buffer.from(
    `POST /v1/media/upload HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${key}\r\n` +
      `content-type: multipart/form-data; boundary=${BOUNDARY}\r\ncontent-length: ${form.length + fileBytes + tail.length}\r\n\r\n`,
  )
  return { head: Buffer.concat([head, form]), tail }
}

export function uploadTransfer(key: string, place: MediaPlace, fileBytes: number): Transfer {
  return { ...uploadParts(key, place, fileBytes), bulkBytes: fileBytes }
}

export function serveTransfer(key: string, uri: string): Transfer {
  return get(`/v1/media/serve?uri=${encodeURIComponent(uri)}`, `x-api-key: ${key}\r\n`)
}

/** For bare-files-process.ts. */
export function putTransfer(name: string, bulkBytes: number): Transfer {
  const head = Buffer.from(`PUT /${name} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${bulkBytes}\r\n\r\n`)
  return { head, bulkBytes, tail: Buffer.alloc(0) }
}

export function getTransfer(name: string): Transfer {
  return get(`/${name}`, '')
}

function get(path: string, headers: string): Transfer {
  const head = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}\r\n`)
  return { head, bulkBytes: 0, tail: Buffer.alloc(0) }
}
