/** Bytes from `start` to `end`, both inclusive. */
export interface WantedRange {
  readonly start: number
  readonly end: number
}

const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i

/**
 * Which bytes a `Range` header asks for (RFC 9110, 14). `whole` when there is none, when it is malformed, in another unit, or of several ranges, all of which a server may answer
 * with everything; `unsatisfiable` when nothing of it lies within.
 */
export function wantedRange(header: string | undefined, sizeBytes: number): WantedRange | 'whole' | 'unsatisfiable' {
  // No range of nothing can be satisfied, and clients ask for `bytes=0-` without knowing the length.
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
