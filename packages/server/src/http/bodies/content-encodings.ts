import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'
import { constants, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { DomainError } from '../../lib/domain-error.ts'

export type Decompressor = () => Transform

/** With Node's own pieces of 16 KiB, the hops between threads take several times as long as the decompression. */
const chunkSize = 128 * 1024

// A file of gzip may have several members, one after the other. Node ignores what follows other formats.
const gunzip = () => createGunzip({ chunkSize })

/** RFC 9659: what a sender may make a receiver hold is 8 MB. Without a limit it would be 128 MB. */
const params = { [constants.ZSTD_d_windowLogMax]: 23 }

export const DECOMPRESSORS: ReadonlyMap<string, Decompressor> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', () => createInflate({ chunkSize, rejectGarbageAfterEnd: true })],
  ['zstd', () => createZstdDecompress({ chunkSize, params, rejectGarbageAfterEnd: true })],
])

/** The encodings that a refusal names. */
export const KNOWN_ENCODINGS = 'gzip, deflate or zstd'

/** Null for a body that is not compressed. Throws `unsupported_media_type` for an encoding that is not known. */
export function decompressorOf(headers: IncomingHttpHeaders): Decompressor | null {
  const sent = (headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (sent === 'identity') return null
  const decompressor = DECOMPRESSORS.get(sent)
  if (decompressor !== undefined) return decompressor
  throw new DomainError(
    'unsupported_media_type',
    `The Content-Encoding must be ${KNOWN_ENCODINGS}, or absent; it is ${JSON.stringify(sent.slice(0, 100))}.`,
  )
}
