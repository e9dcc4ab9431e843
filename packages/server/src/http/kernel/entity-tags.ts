const TAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/

/** Whether an `If-None-Match` header names this tag; strong and weak tags are compared alike (RFC 9110, 13.1.2). */
export function matchesAny(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((part) => {
    const tag = part.trim()
    return TAG.test(tag) && tag.replace(/^W\//, '') === etag
  })
}

/** Whether a `Range` may be answered as one: without an `If-Range`, or with one that is this very tag. A date is of nothing here. */
export function rangeApplies(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag
}
