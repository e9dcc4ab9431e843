import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import { DomainError } from '../../lib/domain-error.ts'

/** Makes the stream that decompresses a body. */
export type Decompressor = () => Transform & { readonly bytesWritten: number }

const CHUNK_BYTES = 64 * 1024
const gunzip: Decompressor = () => createGunzip({ chunkSize: CHUNK_BYTES })

const DECOMPRESSORS: Readonly<Record<string, Decompressor | null>> = {
  identity: null,
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: () => createInflate({ chunkSize: CHUNK_BYTES }),
}

/** Null for a body that is not compressed. Throws `unsupported_media_type` for another encoding. */
export function decompressorOf({ headers }: Pick<IncomingMessage, 'headers'>): Decompressor | null {
  const sent = encodingOf(headers)
  const decompressor = Object.hasOwn(DECOMPRESSORS, sent) ? DECOMPRESSORS[sent] : undefined
  if (decompressor !== undefined) return decompressor
  throw new DomainError(
    'unsupported_media_type',
    `The Content-Encoding must be gzip or deflate, or absent; it is ${JSON.stringify(sent.slice(0, 100))}.`,
  )
}

/** Throws `unsupported_media_type` for a body that is compressed. */
export function requireUncompressed(headers: IncomingHttpHeaders): void {
  const sent = encodingOf(headers)
  if (sent === 'identity') return
  throw new DomainError(
    'unsupported_media_type',
    `Send the body uncompressed: Content-Encoding ${JSON.stringify(sent.slice(0, 100))} is not supported here.`,
  )
}

function encodingOf(headers: IncomingHttpHeaders): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
}
