import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'
import { DomainError } from '../../lib/domain-error.ts'

/** Makes the stream that decompresses a body. */
export type Decompressor = () => Transform

const DECOMPRESSORS: Readonly<Record<string, Decompressor | null>> = {
  identity: null,
  gzip: createGunzip,
  deflate: createInflate,
}

/** The same headers as for a body that is not compressed. */
export function withoutEncoding({ 'content-encoding': _, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers
}

/** Null also for an encoding that is not known. */
export function knownDecompressorOf({ headers }: Pick<IncomingMessage, 'headers'>): Decompressor | null {
  const sent = encodingOf(headers)
  return Object.hasOwn(DECOMPRESSORS, sent) ? (DECOMPRESSORS[sent] ?? null) : null
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

function encodingOf(headers: IncomingHttpHeaders): string {
  return (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
}
