const TAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

/** Whether an `If-None-Match` header has this tag, by weak comparison (RFC 9110, section 13.1.2). */
export function matchesAny(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((part) => {
    const tag = part.trim()
    return TAG.test(tag) && tag.replace(/^W\//, '') === etag
  })
}

/** Whether a `Range` applies: without an `If-Range`, or with exactly this tag. Dates never match. */
export function rangeApplies(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag
}
