import type { ByteRange } from '../../ports/media/blob-store.ts'

const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i

/**
 * The bytes that a `Range` header requests (RFC 9110, section 14). `whole` if there is no header, or it is malformed,
 * has another unit or several ranges, for which a server may answer with everything; `unsatisfiable` if the range is
 * outside.
 */
export function requestedRange(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  // No range of an empty file is satisfiable, but clients request `bytes=0-` without knowing the length.
  if (sizeBytes === 0) return 'whole'
  const [, first, last] = ONE_RANGE.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const start = Number(first)
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (end < start) return 'whole'
  return start >= sizeBytes ? 'unsatisfiable' : { start, end: Math.min(end, sizeBytes - 1) }
}
